import Domain
import HTTPTypes
import Hummingbird
import Services

/// Requires a valid token and puts its principal into the context.
struct AuthenticationMiddleware: RouterMiddleware {
    let authenticator: Authenticator
    /// Whether a request updates the session's day of last use; routes about ballots must not leave a trace.
    let notesUse: Bool
    /// Whether the session is looked up here. The route that casts a ballot leaves that to the ballot's commit.
    var checksSession = true
    /// Lets callers in without a principal who have no valid token: they cannot log in, or not any more.
    var isOptional = false
    /// Accepts the browser's cookie from scripts of our own pages; `nil` where only tokens are valid.
    var browsers: BrowserSessions?

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.principal = try await principal(of: request)
        } catch let error as AppError where isOptional && error.code == .unauthenticated {
            context.principal = nil
        }
        return try await next(request, context)
    }

    private func principal(of request: Request) async throws -> Principal {
        let given = Self.token(in: request.headers)
        guard let token = given ?? browsers?.cookie.token(in: request.headers) else { throw AppError.notLoggedIn }
        let principal =
            checksSession
            ? try await authenticator.authenticate(token, touching: notesUse) : try await authenticator.identify(token)
        if given == nil, !Self.safeMethods.contains(request.method) {
            // A browser sends its cookie with requests from any site's page; only our pages know the form token.
            try browsers?.require(request.headers[.formToken], of: principal)
        }
        return principal
    }

    /// Methods that change nothing (RFC 9110 §9.2.1).
    private static let safeMethods: Set<HTTPRequest.Method> = [.get, .head, .options]

    /// `Bearer TOKEN` (RFC 6750 §2.1; the scheme is case-insensitive), or the bare token that the first clients send.
    static func token(in headers: HTTPFields) -> String? {
        guard let value = headers[.authorization] else { return nil }
        let scheme = "bearer "
        let isPrefixed = value.utf8.count > scheme.utf8.count && value.prefix(scheme.count).lowercased() == scheme
        let token = isPrefixed ? value.dropFirst(scheme.count).drop { $0 == " " } : Substring(value)
        return token.isEmpty ? nil : String(token)
    }
}

extension HTTPField.Name {
    /// The form token, sent by our scripts when they call the API with the browser's cookie.
    static let formToken = HTTPField.Name.constant("X-Form-Token")
}
