package import Crypto
import Foundation

/// Tokens in the forms of our pages, so that no other site can submit one on behalf of a logged-in user
/// (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html, "HMAC based
/// token pattern").
///
/// A token belongs to one session and is valid as long as that. It also identifies its owner, so that a form which
/// outlives its session is returned to that user and nobody else.
package struct FormTokens: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: `JWT_SECRET`.
    package init(secret: SymmetricKey) {
        key = DerivedKey.formTokens.make(from: secret)
    }

    /// The token for a user's forms in their session.
    package func token(of principal: Principal) -> String {
        "\(mark(of: "session|\(principal.sessionID)")).\(mark(of: "user|\(principal.userID)"))"
    }

    /// Whether this is the session's token. Takes the same time for every wrong one of the right length.
    package func isGenuine(_ token: String, of principal: Principal) -> Bool {
        SecureBytes.areEqual(Array(token.utf8), Array(self.token(of: principal).utf8))
    }

    /// Whether this is a token of the user, from any session. It grants no permissions.
    package func isFrom(_ userID: User.ID, _ token: String) -> Bool {
        let mark = token.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        return SecureBytes.areEqual(Array(mark.utf8), Array(self.mark(of: "user|\(userID)").utf8))
    }

    private func mark(of text: String) -> String {
        SecureBytes.hmac(Data(text.utf8), key: key).base64URL
    }
}
