import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Supports `Expect: 100-continue` (RFC 9110 §10.1.1). curl sends it with bodies of a megabyte or more and waits for
/// the response.
///
/// The response is sent when a route begins to read the body. If the route rejects the request before, the client need
/// not send the body at all.
struct ContinueMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        // A GET has no body to wait for, and `EventController` needs the framework's own.
        guard request.headers[.expect]?.lowercased() == "100-continue", request.method != .get else {
            return try await next(request, context)
        }
        var request = request
        request.body = RequestBody(asyncSequence: ExpectedBody(body: request.body, channel: context.channel))
        return try await next(request, context)
    }
}

/// A body that the client sends after `100 Continue`.
private struct ExpectedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), channel: channel)
    }

    struct Iterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        /// `nil` once `100 Continue` was sent.
        var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            if let channel {
                // If the connection closed, the read throws.
                channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
                self.channel = nil
            }
            return try await body.next()
        }
    }
}
