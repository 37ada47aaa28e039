import HTTPTypes
import Hummingbird
import Shared

/// Lets pass who sends a token that counts, and tells the handlers behind it who that is.
struct AuthenticationMiddleware: RouterMiddleware {
    let authenticator: Authenticator
    /// Whether a pass notes the session's day of last use; routes about ballots must not leave a trace.
    let notesUse: Bool
    /// Whether the session is looked up here; the route that casts a ballot leaves that to the ballot's commit.
    var checksSession = true

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let token = Self.token(in: request.headers) else { throw AppError.notLoggedIn }
        var context = context
        context.principal =
            checksSession
            ? try await authenticator.authenticate(token, touching: notesUse) : try await authenticator.identify(token)
        return try await next(request, context)
    }

    /// `Bearer TOKEN` (RFC 6750 §2.1, the scheme in any case), or the bare token that the first clients send.
    static func token(in headers: HTTPFields) -> String? {
        guard let value = headers[.authorization] else { return nil }
        let scheme = "bearer "
        let isPrefixed = value.utf8.count > scheme.utf8.count && value.prefix(scheme.count).lowercased() == scheme
        let token = isPrefixed ? value.dropFirst(scheme.count).drop { $0 == " " } : Substring(value)
        return token.isEmpty ? nil : String(token)
    }
}
