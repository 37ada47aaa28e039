import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive in time, though a byte comes now and then.
///
/// The server's idle time-out counts from the last thing that arrived, so whoever drips a body outlives it, and with it
/// every request nobody reads: a GET with a body, or what is left of a body that was refused. This one counts from the
/// request's head, and for the first head from the opening. What has arrived lengthens it, so that a photograph gets
/// through a slow network. Later heads are the idle time-out's, for bytes of a head do
/// not reach it until the head is whole.
final class RequestTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var timeout: Scheduled<Void>?
    private var start = NIODeadline.now()
    private var received = 0

    /// - Parameter limit: how long a request may take to arrive that has next to no body; `RequestPace` says how much
    ///   longer others may.
    init(limit: TimeAmount) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: start(context)
        case .body(let bytes): received += bytes.readableBytes
        case .end: stop()
        }
        context.fireChannelRead(data)
    }

    private func start(_ context: ChannelHandlerContext) {
        stop()
        received = 0
        start = context.eventLoop.now
        schedule(context)
    }

    /// Looks again when the time for what has come so far is over.
    private func schedule(_ context: ChannelHandlerContext) {
        let end = end
        timeout = context.eventLoop.assumeIsolated().scheduleTask(deadline: end) {
            // More came since, so that there is more time.
            if self.end > end { self.schedule(context) } else { context.close(promise: nil) }
        }
    }

    private var end: NIODeadline {
        start + TimeAmount(RequestPace.allowance(base: .nanoseconds(limit.nanoseconds), bytes: received))
    }

    private func stop() {
        timeout?.cancel()
        timeout = nil
    }
}

@available(*, unavailable)
extension RequestTimeoutHandler: Sendable {}
