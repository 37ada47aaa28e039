import Hummingbird

/// Runs a router on a free local port during a test.
enum RouterServer {
    /// - Parameter body: gets the port; when it returns, the server stops and all hanging requests end.
    static func with(
        _ router: Router<BasicRequestContext>, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let (ready, isReady) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { isReady.yield($0.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            defer { group.cancelAll() }
            for await port in ready {
                try await body(port)
                break
            }
        }
    }

    /// Only ends when its task is cancelled.
    static func hang() async {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        end.finish()
    }
}

/// How a response fails after the request was accepted.
package enum SimulatorBreak: Sendable, Equatable {
    /// It never starts.
    case hang
    /// It has a head but no body.
    case hangAfterHead
    /// The connection is closed in the middle of it.
    case closeMidResponse
}

extension SimulatorBreak {
    private struct Cut: Error {}

    /// The broken response.
    func applied(to text: String, headers: HTTPFields) async -> Response {
        let half = ByteBuffer(string: String(text.prefix(text.count / 2)))
        if self == .hang { await RouterServer.hang() }
        let isCut = self == .closeMidResponse
        let body = ResponseBody(contentLength: text.utf8.count) { writer in
            try await writer.write(half)
            if isCut { throw Cut() }
            await RouterServer.hang()
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }
}
