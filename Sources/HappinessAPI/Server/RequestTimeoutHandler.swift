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
    /// When the request began, or the connection was opened; `nil` while nothing is awaited.
    private var start: NIODeadline?
    private var received = 0
    /// One check at a time, which outlives its request: scheduling and cancelling one for each request costs more. After
    /// a large body, the check of the next request may come as much later as that body was allowed to take.
    private var check: Scheduled<Void>?

    /// - Parameter limit: time for a request with almost no body; `UploadTimeout` defines how much longer others get.
    init(limit: TimeAmount) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: start(context)
        case .body(let bytes): received += bytes.readableBytes
        case .end: start = nil
        }
        context.fireChannelRead(data)
    }

    private func start(_ context: ChannelHandlerContext) {
        received = 0
        start = context.eventLoop.now
        if check == nil { schedule(context) }
    }

    /// Checks when the current limit has passed. Until then it may be extended by more bytes, or by another request.
    private func schedule(_ context: ChannelHandlerContext) {
        check = end.map { end in
            context.eventLoop.assumeIsolated().scheduleTask(deadline: end) {
                if self.end == end { context.close(promise: nil) } else { self.schedule(context) }
            }
        }
    }

    private var end: NIODeadline? {
        start.map { $0 + TimeAmount(UploadTimeout.allowance(base: .nanoseconds(limit.nanoseconds), bytes: received)) }
    }
}

@available(*, unavailable)
extension RequestTimeoutHandler: Sendable {}
