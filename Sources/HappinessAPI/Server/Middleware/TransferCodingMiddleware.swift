import HTTPTypes
import Hummingbird
import Shared

/// Refuses a body that is coded in a way we do not know; `RequestSequenceHandler` has left it away and ends the connection
/// behind the answer.
///
/// It stands in front of what logs and counts: 501 is what RFC 9112 §6.1 asks for, and no fault of the server.
struct TransferCodingMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers.haveUnknownTransferCoding else { return try await next(request, context) }
        let error = AppError(
            .malformed, "The request's body has a transfer coding other than chunked.", reason: "transfer-coding")
        return ErrorStyle(path: request.uri.path).response(status: .notImplemented, error: error)
    }
}
