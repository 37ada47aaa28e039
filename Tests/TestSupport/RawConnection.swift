import NIOCore
import NIOPosix
import Synchronization

/// A TCP connection to this machine on which a test says byte for byte what is sent, and when.
public struct RawConnection: Sendable {
    private let channel: any Channel
    private let inbox: Inbox

    /// Opens a connection. The system accepts it in the server's name; the server may still make it wait.
    public static func open(port: Int) async throws -> RawConnection {
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

    /// Sends these bytes and no others.
    public func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    /// Whether neither side has closed it.
    public var isOpen: Bool { channel.isActive }

    /// What came so far.
    public var received: String { inbox.text.withLock { $0 } }

    /// Waits until what came satisfies a condition.
    /// - Returns: false if the connection ended before.
    public func receive(until condition: (String) -> Bool) async -> Bool {
        guard !condition(received) else { return true }
        for await _ in inbox.arrivals where condition(received) { return true }
        return false
    }

    /// Waits until the other side has closed it, and returns all that came.
    public func receiveAll() async -> String {
        _ = await receive { _ in false }
        return received
    }

    /// Says that nothing more will be sent; what the other side sends still comes.
    public func endSending() async throws {
        try await channel.close(mode: .output).get()
    }

    /// Closes it from this side.
    public func close() async throws {
        try await channel.close().get()
    }
}

/// What came over a connection, for one who waits for it.
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
