import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Hands one request after another to the server, lets each have one answer, and ends the connection where the next
/// request cannot be trusted to begin: behind a body that nobody reads on, that is broken, or whose coding is unknown.
///
/// The server framework reads on whatever is left of a body, however much that is, before it turns to the next request;
/// and it answers a second time if it meets an error there. Here the answer says `Connection: close` (RFC 9112 §9.6), and
/// what still comes is thrown away for a while, so that a client that is still writing gets to read it: to close at once,
/// with bytes unread, would reset the connection and could take the answer with it.
final class RequestSequenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Bytes that are read behind an answer to keep the connection: as many as an ordinary request may have.
    static let kept = Request.ordinaryLimit
    /// Bytes that are thrown away behind the last answer; then the client is left to notice.
    static let discarded = 1024 * 1024
    /// How long the connection stays open behind the last answer, for the client to read it. As long as nginx waits for
    /// more (https://nginx.org/en/docs/http/ngx_http_core_module.html#lingering_timeout).
    static let patience = TimeAmount.seconds(5)

    private enum Place {
        /// Between two requests.
        case idle
        case request(Progress)
        /// Behind the last answer.
        case ending(isWritten: Bool)
    }

    /// How far a request and its answer have come.
    private struct Progress {
        /// Bytes of the body to come; `nil` if only its end will tell.
        var left: Int?
        /// Whether the client waits for `100 Continue` with the body.
        var waits: Bool
        /// Whether nothing that follows can be understood.
        var isBroken: Bool
        /// Whether the request has arrived.
        var isWhole = false
        /// Whether the answer is the last one.
        var isLast: Bool
        /// Whether the answer is written, and only the rest of the body is missing.
        var isAnswered = false

        init(_ head: HTTPRequest) {
            let fields = head.headerFields
            isBroken = fields.haveUnknownTransferCoding
            left = fields.contains(.transferEncoding) ? nil : fields[.contentLength].flatMap(Int.init) ?? 0
            waits = fields[.expect]?.lowercased() == "100-continue" && left != 0
            isLast = fields.sayClose
        }

        /// Whether what comes next belongs to another request.
        var waitsForAnswer: Bool { (isWhole || isBroken) && !isAnswered }

        /// Whether the next request begins at a place that is known and near.
        var isNearItsEnd: Bool {
            !isBroken && (isWhole || !waits && left.map { $0 <= RequestSequenceHandler.kept } == true)
        }
    }

    /// What came behind a request that has no answer yet.
    private enum Held {
        case part(HTTPRequestPart)
        case error(any Error)
        case inputClosed
    }

    private var place = Place.idle
    private var held = CircularBuffer<Held>()
    /// Whether somebody asked for more while something was held.
    private var wantsMore = false
    private var discarded = 0
    private var end: Scheduled<Void>?

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch place {
        case .ending:
            if case .body(let bytes) = part { discarded += bytes.readableBytes }
        case .request(let progress) where progress.isWhole:
            held.append(.part(part))
        case .idle, .request:
            pass(part, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if held.isEmpty { pass(error, context) } else { held.append(.error(error)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        if case .ending(let isWritten) = place {
            if isWritten { context.close(promise: nil) }
            return
        }
        if held.isEmpty { context.fireUserInboundEventTriggered(event) } else { held.append(.inputClosed) }
    }

    func read(context: ChannelHandlerContext) {
        switch place {
        case .ending where discarded > Self.discarded: break
        case .idle, .request, .ending:
            if held.isEmpty { context.read() } else { wantsMore = true }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (part, place) {
        case (_, .request(let progress)) where progress.isBroken:
            break
        case (.head(let head), _):
            let progress = Progress(head)
            place = .request(progress)
            context.fireChannelRead(wrapInboundOut(part))
            // To be answered from its head alone (`TransferCodingMiddleware`).
            if progress.isBroken { context.fireChannelRead(wrapInboundOut(.end(nil))) }
        case (.body(let bytes), .request(var progress)):
            progress.left = progress.left.map { $0 - bytes.readableBytes }
            progress.waits = false
            place = .request(progress)
            context.fireChannelRead(wrapInboundOut(part))
        case (.end, .request(var progress)):
            progress.isWhole = true
            place = progress.isAnswered ? .idle : .request(progress)
            context.fireChannelRead(wrapInboundOut(part))
        case (.body, _), (.end, _):
            break
        }
    }

    private func pass(_ error: any Error, _ context: ChannelHandlerContext) {
        switch place {
        case .ending: return
        case .request(let progress) where progress.isAnswered: return context.close(promise: nil)
        case .request(let progress) where progress.isBroken: return
        case .request(var progress) where !progress.isWhole:
            progress.isBroken = true
            place = .request(progress)
        case .idle, .request: break
        }
        context.fireErrorCaught(error)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch (unwrapOutboundIn(data), place) {
        case (_, .ending):
            // What the framework says to an error behind the last answer.
            promise?.succeed()
        case (.head(let head), .request(var progress)) where head.status.kind == .informational:
            progress.waits = false
            place = .request(progress)
            context.write(data, promise: promise)
        case (.head(var head), .request(var progress)):
            progress.isLast = progress.isLast || head.headerFields.sayClose || !progress.isNearItsEnd
            place = .request(progress)
            if progress.isLast { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case (.end, .request(let progress)) where !progress.isLast && progress.isNearItsEnd:
            context.write(data, promise: promise)
            goOn(behind: progress, context)
        // Without a request it is the answer to an error.
        case (.end, _):
            place = .ending(isWritten: false)
            held.removeAll()
            let written = promise ?? context.eventLoop.makePromise()
            context.writeAndFlush(data, promise: written)
            written.futureResult.assumeIsolated().whenComplete { _ in self.endConnection(context) }
        case (.head, _), (.body, _):
            context.write(data, promise: promise)
        }
    }

    private func goOn(behind progress: Progress, _ context: ChannelHandlerContext) {
        guard progress.isWhole else {
            var progress = progress
            progress.isAnswered = true
            place = .request(progress)
            return
        }
        place = .idle
        guard !held.isEmpty else { return }
        while !waitsForAnswer, let next = held.popFirst() {
            switch next {
            case .part(let part): pass(part, context)
            case .error(let error): pass(error, context)
            case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        context.fireChannelReadComplete()
        if held.isEmpty, wantsMore {
            wantsMore = false
            context.read()
        }
    }

    private var waitsForAnswer: Bool {
        if case .request(let progress) = place { progress.waitsForAnswer } else { false }
    }

    /// Of a client that has closed its side already nothing is waited for.
    private func endConnection(_ context: ChannelHandlerContext) {
        place = .ending(isWritten: true)
        end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
    }
}

@available(*, unavailable)
extension RequestSequenceHandler: Sendable {}

extension HTTPFields {
    /// Whether a message is followed by the end of its connection (RFC 9112 §9.6).
    fileprivate var sayClose: Bool {
        self[values: .connection].flatMap { $0.split(separator: ",") }.contains {
            $0.trimmingCharacters(in: .whitespaces).lowercased() == "close"
        }
    }

    /// Whether a body is coded in a way that is not ours to undo (RFC 9112 §6.1): we know `chunked` alone.
    var haveUnknownTransferCoding: Bool {
        let codings = self[values: .transferEncoding]
        return !codings.isEmpty
            && codings.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } != ["chunked"]
    }
}
