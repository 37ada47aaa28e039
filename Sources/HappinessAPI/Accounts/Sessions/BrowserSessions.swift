import HTTPTypes
import Hummingbird
import Shared

/// How browsers are logged in: what they keep, and what their forms and modules must send along.
struct BrowserSessions: Sendable {
    let cookie: BrowserCookie
    let formTokens: FormTokens
    let authenticator: Authenticator

    /// Who asks, by the cookie; `nil` for somebody who is not logged in, or not any more.
    /// - Parameter notesUse: whether the session's day of last use is noted; not by pages about ballots.
    func principal(of request: Request, notesUse: Bool) async throws -> Principal? {
        guard let token = cookie.token(in: request.headers) else { return nil }
        do {
            return try await authenticator.authenticate(token, touching: notesUse)
        } catch let error as AppError where error.code == .unauthenticated {
            return nil
        }
    }

    /// `Set-Cookie` that keeps a browser logged in for longer; `nil` if its cookie is today's (`Authenticator.renewal`).
    func renewal(for request: Request) async throws -> String? {
        guard let token = cookie.token(in: request.headers) else { return nil }
        do {
            return try await authenticator.renewal(of: token).map(cookie.keeping)
        } catch let error as AppError where error.code == .unauthenticated {
            // It ended a moment ago; the page was let pass.
            return nil
        }
    }

    /// Lets pass a form of ours.
    /// - Throws: `AppError.forbidden` (`form-not-ours`).
    func require(_ token: String?, of principal: Principal) throws {
        guard let token, formTokens.isGenuine(token, of: principal) else { throw AppError.formNotOurs }
    }
}

extension AppError {
    /// Another site's form, or one of ours from before the last log-in.
    static let formNotOurs = AppError(
        .forbidden, "This form is out of date. Please load the page again and repeat what you did.",
        reason: "form-not-ours")
}

extension HTTPField.Name {
    /// The form's token, from modules of ours that call the API with the browser's cookie.
    static let formToken = HTTPField.Name.constant("X-Form-Token")
}

/// A form of a page behind the log-in: its fields, and the token that proves where it comes from.
struct OwnForm<Fields: Decodable>: Decodable {
    let fields: Fields
    let formToken: String?

    private enum CodingKeys: CodingKey {
        case formToken
    }

    init(from decoder: any Decoder) throws {
        fields = try Fields(from: decoder)
        formToken = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .formToken)
    }
}
