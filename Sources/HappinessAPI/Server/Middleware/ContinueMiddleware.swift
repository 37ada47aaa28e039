import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 §10.1.1), by which curl asks before it sends a megabyte or more, and waits.
///
/// The answer goes out when a route begins to read the body, so that one that refuses the request before that spares the
/// client from sending it.
struct ContinueMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        // What is asked for with a GET has no body to wait for, and `EventController` needs the one of the framework.
        guard request.headers[.expect]?.lowercased() == "100-continue", request.method != .get else {
            return try await next(request, context)
        }
        var request = request
        request.body = RequestBody(asyncSequence: ExpectedBody(body: request.body, channel: context.channel))
        return try await next(request, context)
    }
}

/// A body that the client sends once it is told to.
private struct ExpectedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), channel: channel)
    }

    struct Iterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        /// `nil` once the client was told.
        var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            if let channel {
                // Of a connection that is gone, the read tells.
                channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
                self.channel = nil
            }
            return try await body.next()
        }
    }
}
