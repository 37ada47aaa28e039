import Domain
import HTTPTypes
import Hummingbird
import Logging
import Services

/// Turns every thrown error into a response. No other code does.
///
/// Rejections keep their message. Every other error becomes "Internal error" for users and one error line for operators,
/// with the type of the error and the route's pattern, never a value of the request.
struct ErrorMiddleware: RouterMiddleware {
    /// The methods of a path, to distinguish 404 from 405.
    let allowedMethods: @Sendable (String) -> [HTTPRequest.Method]
    /// The language of the response; English if `nil`.
    var language: AnswerLanguage?
    /// Makes an error readable for browsers; if `nil`, they get the same documents as programs.
    var readable: (@Sendable (Response, Request, AppError) throws -> Response)?

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let style = ErrorStyle(path: request.uri.path)
        let error: AppError
        var status: HTTPResponse.Status?
        var allowed: [HTTPRequest.Method] = []
        do {
            return try await next(request, context)
        } catch let thrown as HTTPError where thrown.status == .notFound {
            allowed = allowedMethods(request.uri.path)
            error = Self.unknownRoute(allowing: allowed)
            status = allowed.isEmpty ? .notFound : .methodNotAllowed
        } catch let thrown as any HTTPResponseError {
            error = Self.appError(for: thrown.status)
            status = thrown.status
        } catch is CancellationError {
            error = AppError(.unavailable, "The server is stopping.", reason: .stopping, retryAfter: 5)
        } catch let thrown {
            if let rejection = AppError(thrown) {
                error = rejection
            } else {
                context.logger.error(
                    "A request failed",
                    metadata: [
                        "error.type": "\(type(of: thrown))", "error": "\(thrown)",
                        "http.route": "\(context.endpointPath ?? "unknown")",
                    ])
                error = AppError(.unavailable, "Internal error", reason: .internalError)
                status = .internalServerError
            }
        }
        // While a part is unavailable, or has too much to do, the account is not read.
        let caller = error.code == .unavailable ? nil : context.note.principal
        let words = await language?.words(for: request, of: caller) ?? LocalizedTexts(sections: [:])
        var response = style.response(status: status ?? style.status(of: error), error: error, in: words)
        if !allowed.isEmpty { response.headers[.allow] = Self.names(of: allowed) }
        return try readable?(response, request, error) ?? response
    }

    private static func unknownRoute(allowing methods: [HTTPRequest.Method]) -> AppError {
        methods.isEmpty
            ? AppError(.notFound, "There’s nothing at this address.", reason: .noSuchRoute)
            : AppError(.malformed, "This address accepts \(names(of: methods)) only.", reason: .methodNotAllowed)
    }

    private static func names(of methods: [HTTPRequest.Method]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }

    /// Replaces the HTTP layer's errors by our own.
    private static func appError(for status: HTTPResponse.Status) -> AppError {
        switch status {
        case .contentTooLarge: AppError(.tooLarge, "The request is too large.")
        case .unsupportedMediaType: AppError(.unsupportedMediaType, "The request’s content type isn’t supported.")
        default: AppError(.malformed, "The request couldn’t be read.")
        }
    }
}
