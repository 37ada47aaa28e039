import NIOCore
import NIOPosix
import Synchronization

/// A local TCP connection on which a test controls every byte and its time.
package struct RawConnection: Sendable {
    private let channel: any Channel
    private let inbox: Inbox

    /// Opens a connection. The system accepts it on behalf of the server, which may still leave it waiting.
    package static func open(port: Int) async throws -> RawConnection {
        let inbox = Inbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(InboxHandler(inbox: inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel: channel, inbox: inbox)
    }

    /// Sends exactly these bytes.
    package func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    /// Whether neither side has closed it.
    package var isOpen: Bool { channel.isActive }

    /// Everything received so far.
    package var received: String { inbox.text.withLock { $0 } }

    /// Waits until the received text satisfies a condition.
    /// - Returns: false if the connection was closed before.
    package func receive(until condition: (String) -> Bool) async -> Bool {
        guard !condition(received) else { return true }
        for await _ in inbox.arrivals where condition(received) { return true }
        return false
    }

    /// Waits until the other side closes the connection, and returns everything received.
    package func receiveAll() async -> String {
        _ = await receive { _ in false }
        return received
    }

    /// Closes the sending side; data from the other side still arrives.
    package func endSending() async throws {
        try await channel.close(mode: .output).get()
    }

    /// Closes the connection.
    package func close() async throws {
        try await channel.close().get()
    }
}

/// Received data, with notification of a waiting task.
private final class Inbox: Sendable {
    let text = Mutex("")
    let arrivals: AsyncStream<Void>
    let arrived: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrived) = AsyncStream.makeStream()
    }
}

private final class InboxHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: Inbox

    init(inbox: Inbox) {
        self.inbox = inbox
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = String(buffer: unwrapInboundIn(data))
        inbox.text.withLock { $0 += part }
        inbox.arrived.yield()
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.arrived.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
