import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A TCP proxy on a free local port that breaks connections on demand, and forwards all others byte for byte.
package final class FaultProxy: Sendable {
    /// The fault of a connection.
    package enum Fault: Sendable, Equatable {
        /// The first request gets this response, which must close the connection, and does not reach the server.
        case response(String)
        /// The server's response ends after this number of bytes.
        case cutResponse(afterBytes: Int)
        /// No response ever arrives.
        case hang
        /// The connection is closed immediately.
        case close
        /// ASCII text in a request, or its body, is replaced by another text of the same length.
        case change(String, to: String)
    }

    private struct State {
        var faults: [Fault] = []
        var connections = 0
    }

    /// The proxy's port on 127.0.0.1.
    package let port: Int
    private let upstream: Int
    private let state = Mutex(State())

    /// Runs the proxy while the closure runs, then closes all connections.
    /// - Parameters:
    ///   - upstream: the server's port on 127.0.0.1; it may be unused if every connection is broken.
    ///   - certificate: if given, clients must use TLS; the server need not.
    package static func with(
        upstream: Int, certificate: TestCertificate? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (FaultProxy) async throws -> Void
    ) async throws {
        let context = try certificate.map { try NIOSSLContext(configuration: $0.server(protocols: ["http/1.1"])) }
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        let proxy = FaultProxy(port: server.channel.localAddress?.port ?? 0, upstream: upstream)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await proxy.serve(server) }
            defer { group.cancelAll() }
            try await body(proxy)
        }
    }

    private init(port: Int, upstream: Int) {
        self.port = port
        self.upstream = upstream
    }

    /// Breaks the next connections, one fault each.
    package func fail(_ faults: Fault...) {
        state.withLock { $0.faults += faults }
    }

    /// Number of connections so far.
    package var connections: Int { state.withLock { $0.connections } }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private func serve(_ server: NIOAsyncChannel<Connection, Never>) async throws {
        try await server.executeThenClose { connections in
            await withDiscardingTaskGroup { group in
                do {
                    for try await connection in connections {
                        // Broken connections are the purpose of this proxy.
                        group.addTask { try? await self.handle(connection) }
                    }
                } catch {
                    // The test has ended.
                }
                group.cancelAll()
            }
        }
    }

    private func handle(_ connection: Connection) async throws {
        let fault = state.withLock { state -> Fault? in
            state.connections += 1
            return state.faults.isEmpty ? nil : state.faults.removeFirst()
        }
        try await connection.executeThenClose { requests, answers in
            switch fault {
            case .close: break
            case .hang: for try await _ in requests {}
            case .response(let text):
                var request = ""
                for try await part in requests {
                    request += String(buffer: part)
                    guard Self.isComplete(request) else { continue }
                    try await answers.write(ByteBuffer(string: text))
                    break
                }
            case .cutResponse(let count): try await pass(requests, answers, change: { $0 }, limit: count)
            case .change(let old, let new):
                try await pass(
                    requests, answers,
                    change: { ByteBuffer(string: String(buffer: $0).replacing(old, with: new)) }, limit: .max)
            case nil: try await pass(requests, answers, change: { $0 }, limit: .max)
            }
        }
    }

    private func pass(
        _ requests: NIOAsyncChannelInboundStream<ByteBuffer>, _ answers: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        change: @escaping @Sendable (ByteBuffer) -> ByteBuffer, limit: Int
    ) async throws {
        let server = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: upstream) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        try await server.executeThenClose { fromServer, toServer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for try await part in requests { try await toServer.write(change(part)) } }
                group.addTask {
                    var left = limit
                    for try await part in fromServer {
                        let sent = part.readableBytesView.prefix(left)
                        try await answers.write(ByteBuffer(sent))
                        left -= sent.count
                        if left == 0 { return }
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Whether the head is complete, and the body as long as announced. Anything but HTTP is treated as complete.
    private static func isComplete(_ request: String) -> Bool {
        guard request.first?.isLetter == true else { return true }
        guard let end = request.range(of: "\r\n\r\n") else { return false }
        let length = request.firstMatch(of: /(?i)\r\ncontent-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        return request[end.upperBound...].utf8.count >= length
    }
}
