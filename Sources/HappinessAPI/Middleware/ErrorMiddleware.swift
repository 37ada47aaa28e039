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

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let style = ErrorStyle(path: request.uri.path)
        do {
            return try await next(request, context)
        } catch let error as AppError {
            return style.response(to: error)
        } catch let error as HTTPError where error.status == .notFound {
            return response(toUnknownRoute: request, style: style)
        } catch let error as any HTTPResponseError {
            return style.response(status: error.status, error: Self.appError(for: error.status))
        } catch is CancellationError {
            return style.response(
                to: AppError(.unavailable, "The server is stopping.", reason: "stopping", retryAfter: 5))
        } catch {
            context.logger.error(
                "A request failed",
                metadata: [
                    "error.type": "\(type(of: error))", "error": "\(error)",
                    "http.route": "\(context.endpointPath ?? "unknown")",
                ])
            return style.response(
                status: .internalServerError, error: AppError(.unavailable, "Internal error", reason: "internal-error"))
        }
    }

    private func response(toUnknownRoute request: Request, style: ErrorStyle) -> Response {
        let methods = allowedMethods(request.uri.path)
        guard !methods.isEmpty else {
            return style.response(to: AppError(.notFound, "There is nothing at this address.", reason: "no-such-route"))
        }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        var response = style.response(
            status: .methodNotAllowed,
            error: AppError(.malformed, "This address takes \(names) only.", reason: "method-not-allowed"))
        response.headers[.allow] = names
        return response
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
