import HTTPTypes
import Hummingbird
import Shared

/// Lets pass a browser that is logged in, and sends every other one to the log-in, from where it comes back.
struct BrowserMiddleware: RouterMiddleware {
    let logIn: LogInPages
    /// Whether a pass notes the session's day of last use; pages about ballots must not leave a trace.
    let notesUse: Bool
    /// Whether a pass keeps the browser logged in for longer. Nothing is stored for it; the pages of a vote leave it to
    /// those around them all the same.
    let renews: Bool

    private var browsers: BrowserSessions { logIn.browsers }

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let principal = try await browsers.principal(of: request, notesUse: notesUse) else {
            return try await logIn.ask(request)
        }
        let renewal = renews ? try await browsers.renewal(for: request) : nil
        var context = context
        context.principal = principal
        var response = try await next(request, context)
        if let renewal, !browsers.cookie.isSet(in: response.headers) {
            response.headers.append(HTTPField(name: .setCookie, value: renewal))
        }
        return response
    }
}
