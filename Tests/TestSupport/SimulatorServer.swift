import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A local port for a simulator, with HTTP/1.1 or, with a certificate, HTTP/2.
enum SimulatorServer {
    /// Listens while the closure runs.
    static func with<Value>(
        _ rules: any SimulatorRules, certificate: TestCertificate? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let context = try certificate.map { try NIOSSLContext(configuration: $0.server(protocols: ["h2"])) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try configureHTTP2(channel, context: context, rules: rules)
                    } else {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        try channel.pipeline.syncOperations.addHandler(
                            SimulatorConnection(rules: rules, connection: channel))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(channel.localAddress?.port ?? 0))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        return try result.get()
    }

    private static func configureHTTP2(
        _ channel: any Channel, context: NIOSSLContext, rules: any SimulatorRules
    ) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try stream.pipeline.syncOperations.addHandler(
                    SimulatorConnection(rules: rules, connection: channel))
            }
        }
    }
}

/// An HTTP/1.1 connection, or an HTTP/2 stream; its handler collects a request and responds.
private final class SimulatorConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let rules: any SimulatorRules
    /// The whole connection, of which this may be one stream.
    private let connection: any Channel
    private var request: SimulatedRequest?

    init(rules: any SimulatorRules, connection: any Channel) {
        self.rules = rules
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = SimulatedRequest(method: head.method.rawValue, path: head.uri, headers: head.headers)
        case .body(let part): request?.body += Array(part.readableBytesView)
        case .end:
            guard let request else { return }
            self.request = nil
            let (response, fault) = rules.response(request)
            write(response, fault: fault, context: context)
        }
    }

    private func write(_ response: SimulatedResponse, fault: SimulatedFault?, context: ChannelHandlerContext) {
        if fault == .hang { return }
        if fault == .close { return connection.close(promise: nil) }
        var headers = response.headers
        // A response that breaks off announces a few more bytes than it has.
        let isWhole = fault?.breaksOff != true
        headers.add(name: "Content-Length", value: "\(response.body.utf8.count + (isWhole ? 0 : 9))")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if fault == .hangAfterHead { return context.flush() }
        // An empty frame would make AsyncHTTPClient wait forever if several responses arrive at once over HTTP/2 (seen
        // with 1.37.0); the simulated services send none.
        if !response.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: response.body)))), promise: nil)
        }
        if isWhole {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            context.flush()
            connection.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
