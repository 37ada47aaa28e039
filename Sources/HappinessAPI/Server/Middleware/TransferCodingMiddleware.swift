import Domain
import HTTPTypes
import Hummingbird

/// Rejects a body with an unknown transfer coding. `RequestSequenceHandler` has dropped the body and closes the
/// connection after the response.
///
/// Runs before logging and metrics: RFC 9112 §6.1 demands 501, but it is not an error of the server.
struct TransferCodingMiddleware: RouterMiddleware {
    let language: AnswerLanguage

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers.haveUnknownTransferCoding else { return try await next(request, context) }
        let error = AppError(
            .malformed, "The request’s body has a transfer coding other than chunked.", reason: .transferCoding)
        let words = await language.words(for: request, of: nil)
        return ErrorStyle(path: request.uri.path).response(status: .notImplemented, error: error, in: words)
    }
}
