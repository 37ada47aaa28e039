import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// Lets pass a browser that is logged in, and sends every other one to the log-in, from where it comes back.
struct BrowserMiddleware: RouterMiddleware {
    let browsers: BrowserSessions
    /// Whether a pass notes the session's day of last use; pages about ballots must not leave a trace.
    let notesUse: Bool

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let principal = try await browsers.principal(of: request, notesUse: notesUse) else {
            return Self.toLogIn(from: request)
        }
        var context = context
        context.principal = principal
        return try await next(request, context)
    }

    private static func toLogIn(from request: Request) -> Response {
        var address = URLComponents()
        address.path = LogInPages.path
        // What a form was for is lost with it; the page it stood on is not known here.
        if request.method == .get { address.queryItems = [URLQueryItem(name: "next", value: request.uri.description)] }
        return Response(
            status: .seeOther, headers: [.location: address.string ?? LogInPages.path, .cacheControl: "no-store"])
    }
}
