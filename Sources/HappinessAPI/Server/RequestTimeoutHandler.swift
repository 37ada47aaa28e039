import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection if its request does not arrive in time, even if bytes trickle in.
///
/// The server's idle time-out restarts with every byte, so it never ends a body that trickles in, or a request whose
/// body is not read: a GET with a body, or the rest of a rejected body. This handler's limit starts at the request's
/// head, and for the first head when the connection opens. Received bytes extend the limit, so that a photograph gets
/// through a slow network. The heads of later requests are left to the idle time-out, since this handler does not see
/// bytes of a head before the head is complete.
final class RequestTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var timeout: Scheduled<Void>?
    private var start = NIODeadline.now()
    private var received = 0

    /// - Parameter limit: time for a request with almost no body; `RequestPace` defines how much longer others get.
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

    /// Checks again when the current limit has passed.
    private func schedule(_ context: ChannelHandlerContext) {
        let end = end
        timeout = context.eventLoop.assumeIsolated().scheduleTask(deadline: end) {
            // More bytes arrived since, so the limit was extended.
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
