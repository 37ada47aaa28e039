import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Passes requests to the server one at a time, allows one response to each, and closes the connection if the start of
/// the next request is not certain: after a body that is not read to its end, is broken, or has an unknown coding.
///
/// The server framework always reads the rest of a body, of any size, before the next request, and it sends a second
/// response if it finds an error there. This handler sends `Connection: close` instead (RFC 9112 §9.6) and discards
/// incoming bytes for a while, so that a client that is still writing can read the response. Closing at once, with
/// unread bytes, would reset the connection and could destroy the response.
///
/// When the server stops, the framework would close each connection without a request at once. If a proxy sends a
/// request over it at that moment, there is no answer, and the proxy must not send a POST again: it may have been carried
/// out. So where other processes take over, connections stay open for longer than a proxy keeps them without a request,
/// and each response says that its connection closes.
final class RequestSequenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Bytes to read after a response to keep the connection open: the size of an ordinary request.
    static let kept = Request.ordinaryLimit
    /// Bytes to discard after the last response; after that the handler stops reading.
    static let discarded = 1024 * 1024
    /// How long the connection stays open after the last response, so that the client can read it. The same as nginx's
    /// lingering timeout (https://nginx.org/en/docs/http/ngx_http_core_module.html#lingering_timeout).
    static let patience = TimeAmount.seconds(5)

    /// How long a connection stays open without a request after the server has begun to stop. The proxies in `deploy`
    /// keep such connections for a second, and on a busy machine a little longer.
    static let handOver = TimeAmount.seconds(2)

    private enum State {
        /// Between two requests.
        case idle
        case request(Progress)
        /// After the last response.
        case ending(isWritten: Bool)
    }

    /// Progress of a request and its response.
    private struct Progress {
        /// Remaining bytes of the body; `nil` if the length is unknown.
        var left: Int?
        /// Whether the client waits for `100 Continue` before it sends the body.
        var waits: Bool
        /// Whether the rest of the input cannot be parsed.
        var isBroken: Bool
        /// Whether the request is complete.
        var isWhole = false
        /// Whether the connection closes after the response.
        var isLast: Bool
        /// Whether the response is written and only the rest of the body is missing.
        var isAnswered = false

        init(_ head: HTTPRequest) {
            let fields = head.headerFields
            isBroken = fields.haveUnknownTransferCoding
            left = fields.contains(.transferEncoding) ? nil : fields[.contentLength].flatMap(Int.init) ?? 0
            waits = fields[.expect]?.lowercased() == "100-continue" && left != 0
            isLast = fields.sayClose
        }

        /// Whether input belongs to the next request and must wait for this response.
        var waitsForResponse: Bool { (isWhole || isBroken) && !isAnswered }

        /// Whether the end of the request is known and close enough to read up to it.
        var isNearItsEnd: Bool {
            !isBroken && (isWhole || !waits && left.map { $0 <= RequestSequenceHandler.kept } == true)
        }
    }

    /// Input received while an earlier request has no response yet.
    private enum Held {
        case part(HTTPRequestPart)
        case error(any Error)
        case inputClosed
    }

    private var state = State.idle
    private var held = CircularBuffer<Held>()
    /// Whether `read` was called while input was held.
    private var wantsMore = false
    private var discarded = 0
    private var end: Scheduled<Void>?
    private let handsOver: Bool
    /// Whether the server stops, and hands over.
    private var isStopping = false
    /// Whether there was a response, so that there is a task that reads this connection. The framework forgets
    /// connections that come at the moment of the stop, and the process would crash if one of them stayed open.
    private var hasAnswered = false

    /// - Parameter handsOver: whether other processes take over when this one stops.
    init(handsOver: Bool) {
        self.handsOver = handsOver
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch state {
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
        if event is ChannelShouldQuiesceEvent, handsOver, hasAnswered {
            isStopping = true
            closeIfIdle(context)
            return
        }
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        if case .ending(let isWritten) = state {
            if isWritten { context.close(promise: nil) }
            return
        }
        if held.isEmpty { context.fireUserInboundEventTriggered(event) } else { held.append(.inputClosed) }
    }

    func read(context: ChannelHandlerContext) {
        switch state {
        case .ending where discarded > Self.discarded: break
        case .idle, .request, .ending:
            if held.isEmpty { context.read() } else { wantsMore = true }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (part, state) {
        case (_, .request(let progress)) where progress.isBroken:
            break
        case (.head(let head), _):
            let progress = Progress(head)
            state = .request(progress)
            context.fireChannelRead(wrapInboundOut(part))
            // `TransferCodingMiddleware` responds from the head alone.
            if progress.isBroken { context.fireChannelRead(wrapInboundOut(.end(nil))) }
        case (.body(let bytes), .request(var progress)):
            progress.left = progress.left.map { $0 - bytes.readableBytes }
            progress.waits = false
            state = .request(progress)
            context.fireChannelRead(wrapInboundOut(part))
        case (.end, .request(var progress)):
            progress.isWhole = true
            state = progress.isAnswered ? .idle : .request(progress)
            context.fireChannelRead(wrapInboundOut(part))
        case (.body, _), (.end, _):
            break
        }
    }

    private func pass(_ error: any Error, _ context: ChannelHandlerContext) {
        switch state {
        case .ending: return
        case .request(let progress) where progress.isAnswered: return context.close(promise: nil)
        case .request(let progress) where progress.isBroken: return
        case .request(var progress) where !progress.isWhole:
            progress.isBroken = true
            state = .request(progress)
        case .idle, .request: break
        }
        context.fireErrorCaught(error)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .end = part { hasAnswered = true }
        switch (part, state) {
        case (_, .ending):
            // The framework's response to an error after the last response.
            promise?.succeed()
        case (.head(let head), .request(var progress)) where head.status.kind == .informational:
            progress.waits = false
            state = .request(progress)
            context.write(data, promise: promise)
        case (.head(var head), .request(var progress)):
            progress.isLast =
                progress.isLast || head.headerFields.sayClose || !progress.isNearItsEnd || isStopping
            state = .request(progress)
            if progress.isLast { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case (.end, .request(let progress)) where !progress.isLast && progress.isNearItsEnd:
            context.write(data, promise: promise)
            resume(behind: progress, context)
        // Without a request, this is the response to an error.
        case (.end, _):
            state = .ending(isWritten: false)
            held.removeAll()
            let written = promise ?? context.eventLoop.makePromise()
            context.writeAndFlush(data, promise: written)
            written.futureResult.assumeIsolated().whenComplete { _ in self.endConnection(context) }
        case (.head, _), (.body, _):
            context.write(data, promise: promise)
        }
    }

    private func resume(behind progress: Progress, _ context: ChannelHandlerContext) {
        guard progress.isWhole else {
            var progress = progress
            progress.isAnswered = true
            state = .request(progress)
            return
        }
        state = .idle
        // The head of the response was written before the server began to stop.
        if isStopping { closeIfIdle(context) }
        guard !held.isEmpty else { return }
        while !waitsForResponse, let next = held.popFirst() {
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

    private var waitsForResponse: Bool {
        if case .request(let progress) = state { progress.waitsForResponse } else { false }
    }

    /// Closes the connection if no request comes; otherwise the response to it does.
    private func closeIfIdle(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.handOver) {
            if case .idle = self.state { context.close(promise: nil) }
        }
    }

    /// Closes without waiting if the client has closed its side already.
    private func endConnection(_ context: ChannelHandlerContext) {
        state = .ending(isWritten: true)
        end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
    }
}

@available(*, unavailable)
extension RequestSequenceHandler: Sendable {}

extension HTTPFields {
    /// Whether the connection closes after this message (RFC 9112 §9.6).
    fileprivate var sayClose: Bool {
        // Most messages have no such field.
        contains(.connection)
            && self[values: .connection].flatMap { $0.split(separator: ",") }.contains {
                $0.trimmingCharacters(in: .whitespaces).lowercased() == "close"
            }
    }

    /// Whether the body has a transfer coding we cannot decode (RFC 9112 §6.1): we support `chunked` only.
    var haveUnknownTransferCoding: Bool {
        let codings = self[values: .transferEncoding]
        return !codings.isEmpty
            && codings.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } != ["chunked"]
    }
}
