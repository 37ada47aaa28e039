import HTTPTypes
import Hummingbird
import Logging
import Shared

/// Turns whatever a handler throws into an answer of the right status and shape, and is the only place that does.
///
/// Refusals keep their message. Everything else becomes "Internal error" for people and one error line for operators,
/// with the type of the error and the route's pattern, never a value of the request.
struct ErrorMiddleware: RouterMiddleware {
    /// Which methods a path has, to tell "no such page" from "not with this method".
    let allowedMethods: @Sendable (String) -> [HTTPRequest.Method]
    /// For people; without it they get the documents of programs.
    var pages: ErrorPages?

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let style = ErrorStyle(path: request.uri.path)
        let error: AppError
        var status: HTTPResponse.Status?
        var allowed: [HTTPRequest.Method] = []
        do {
            return try await next(request, context)
        } catch let thrown as AppError {
            error = thrown
        } catch let thrown as HTTPError where thrown.status == .notFound {
            allowed = allowedMethods(request.uri.path)
            error = Self.unknownRoute(allowing: allowed)
            status = allowed.isEmpty ? .notFound : .methodNotAllowed
        } catch let thrown as any HTTPResponseError {
            error = Self.appError(for: thrown.status)
            status = thrown.status
        } catch is CancellationError {
            error = AppError(.unavailable, "The server is stopping.", reason: "stopping", retryAfter: 5)
        } catch let thrown {
            context.logger.error(
                "A request failed",
                metadata: [
                    "error.type": "\(type(of: thrown))", "error": "\(thrown)",
                    "http.route": "\(context.endpointPath ?? "unknown")",
                ])
            error = AppError(.unavailable, "Internal error", reason: "internal-error")
            status = .internalServerError
        }
        var answer = style.response(status: status ?? style.status(of: error), error: error)
        if !allowed.isEmpty { answer.headers[.allow] = Self.names(of: allowed) }
        return try pages?.readable(answer, to: request, error: error) ?? answer
    }

    private static func unknownRoute(allowing methods: [HTTPRequest.Method]) -> AppError {
        methods.isEmpty
            ? AppError(.notFound, "There is nothing at this address.", reason: "no-such-route")
            : AppError(.malformed, "This address takes \(names(of: methods)) only.", reason: "method-not-allowed")
    }

    private static func names(of methods: [HTTPRequest.Method]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }

    /// Errors of the HTTP layer itself, in our words.
    private static func appError(for status: HTTPResponse.Status) -> AppError {
        switch status {
        case .contentTooLarge: AppError(.tooLarge, "The request is too large.")
        case .unsupportedMediaType: AppError(.unsupportedMediaType, "The request's content type is not supported.")
        default: AppError(.malformed, "The request could not be read.")
        }
    }
}
