import ArgumentParser
import CryptoExtras
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// `BenchmarkSeed sink`: takes the place of Google for a reminder, responds to each message after a fixed time, and
/// prints the number of messages when its standard input ends.
///
/// It uses plain NIO, since a sink must cost less than the sender.
struct SinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink", abstract: "Takes messages as FCM does, after a while each.")

    @Option(help: "Milliseconds until a message is answered.")
    var delay: Int64 = 20

    @Option(help: "File that takes the key of a service account whose tokens are given out here.")
    var account: String

    private struct Ready: Encodable {
        let url: String
    }

    private struct Result: Encodable {
        let messages: Int
        /// From the arrival of the first message to that of the last.
        let seconds: Double
    }

    func run() async throws {
        let tally = SinkTally()
        let delay = TimeAmount.milliseconds(delay)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(SinkConnection(tally: tally, delay: delay))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        try writeAccount(tokenURL: "\(url)/token")
        try printJSON(Ready(url: url))
        // In a pipe, the line would stay in a buffer until the process ends.
        fflush(nil)
        // Not on the cooperative thread pool, since it blocks until the benchmark closes the pipe.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
        let (messages, seconds) = tally.result
        try printJSON(Result(messages: messages, seconds: seconds))
        try await channel.close()
    }

    private func writeAccount(tokenURL: String) throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let fields = [
            "type": "service_account", "project_id": "benchmark", "private_key_id": "benchmark",
            "private_key": key.pkcs8PEMRepresentation, "client_email": "benchmark@example.org", "token_uri": tokenURL,
        ]
        try JSONEncoder().encode(fields).write(to: URL(filePath: account))
    }
}

/// Counts messages and measures the time in which they arrived.
private final class SinkTally: Sendable {
    private struct State {
        var messages = 0
        var first: ContinuousClock.Instant?
        var last: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func count() {
        let now = ContinuousClock.now
        state.withLock { state in
            state.messages += 1
            state.first = state.first ?? now
            state.last = now
        }
    }

    var result: (messages: Int, seconds: Double) {
        state.withLock { state in
            guard let first = state.first, let last = state.last else { return (0, 0) }
            return (state.messages, (last - first) / .seconds(1))
        }
    }
}

/// One connection: responds to token requests immediately, to messages after the delay.
private final class SinkConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let token = #"{"access_token":"benchmark","expires_in":3599,"token_type":"Bearer"}"#
    private static let taken = #"{"name":"projects/benchmark/messages/1"}"#

    private let tally: SinkTally
    private let delay: TimeAmount
    private var asksForToken = false

    init(tally: SinkTally, delay: TimeAmount) {
        self.tally = tally
        self.delay = delay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): asksForToken = head.uri == "/token"
        case .body: break
        case .end:
            guard !asksForToken else { return response(Self.token, context: context) }
            tally.count()
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: delay) {
                let (handler, context) = bound.value
                handler.response(Self.taken, context: context)
            }
        }
    }

    private func response(_ text: String, context: ChannelHandlerContext) {
        let headers: HTTPHeaders = ["content-type": "application/json", "content-length": "\(text.utf8.count)"]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
