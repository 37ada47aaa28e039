import HTTPTypes
import Hummingbird

/// Requires a logged-in browser. Redirects others to the login, which leads back afterwards.
struct BrowserMiddleware: RouterMiddleware {
    let browsers: BrowserSessions
    /// The response to a browser that is not logged in.
    let askToLogIn: @Sendable (Request) async throws -> Response
    /// Whether a request updates the session's day of last use; pages about ballots must not leave a trace.
    let notesUse: Bool
    /// Whether a request extends the login. That stores nothing, but the pages of a vote still leave it to other pages.
    let renews: Bool

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let principal = try await browsers.principal(of: request, notesUse: notesUse) else {
            return try await askToLogIn(request)
        }
        let renewal = renews ? try await browsers.renewal(for: request) : nil
        var context = context
        context.principal = principal
        var response = try await next(request, context)
        if let renewal, !browsers.cookie.isSet(in: response.headers) {
            response.headers.append(HTTPField(name: .setCookie, value: renewal))
        }
        // Otherwise the browser would still be logged in by it after a log-out.
        if browsers.cookie.isSet(in: response.headers), let ending = try await browsers.endingOfFormer(for: request) {
            response.headers.append(HTTPField(name: .setCookie, value: ending))
        }
        return response
    }
}
