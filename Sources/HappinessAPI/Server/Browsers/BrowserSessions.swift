import Domain
import HTTPTypes
import Hummingbird
import Services

/// Checks browsers' cookies, and the tokens that their forms and scripts must send.
struct BrowserSessions: Sendable {
    let cookie: BrowserCookie
    let formTokens: FormTokens
    let authenticator: Authenticator

    /// The user of the cookie; `nil` if they are not logged in, or no longer.
    /// - Parameter notesUse: whether to update the session's day of last use; false for pages about ballots.
    func principal(of request: Request, notesUse: Bool) async throws -> Principal? {
        guard let token = cookie.token(in: request.headers) else { return nil }
        do {
            return try await authenticator.authenticate(token, touching: notesUse)
        } catch let error as AppError where error.code == .unauthenticated {
            return nil
        }
    }

    /// `Set-Cookie` that extends the login, or moves it from the cookie of version 0.1.0; `nil` if the cookie was issued
    /// today (`Authenticator.renewal`).
    func renewal(for request: Request) async throws -> String? {
        guard let token = cookie.token(in: request.headers) else { return nil }
        do {
            let later =
                cookie.isFormer(in: request.headers)
                ? try await authenticator.renewalOrSame(token) : try await authenticator.renewal(of: token)
            return later.map { cookie.keeping($0) }
        } catch let error as AppError where error.code == .unauthenticated {
            // The session ended after the page was authorized.
            return nil
        }
    }

    /// `Set-Cookie` that deletes the cookie of version 0.1.0; `nil` if the browser sends none, or that of another
    /// installation on this host.
    func endingOfFormer(for request: Request) async throws -> String? {
        guard let ending = cookie.endingFormer, let token = cookie.formerToken(in: request.headers) else { return nil }
        do {
            _ = try await authenticator.identify(token)
            return ending
        } catch let error as AppError where error.code == .unauthenticated {
            return nil
        }
    }

    /// Requires a form token that is valid for the user.
    /// - Throws: `AppError.forbidden` (`form-not-ours`).
    func require(_ token: String?, of principal: Principal) throws {
        guard let token, formTokens.isGenuine(token, of: principal) else { throw AppError.formNotOurs }
    }
}

extension AppError {
    /// A form from another site, or from an earlier session.
    static let formNotOurs = AppError(
        .forbidden, "This form is out of date. Please reload the page and try again.",
        reason: .formNotOurs)
}
