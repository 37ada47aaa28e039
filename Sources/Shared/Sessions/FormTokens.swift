public import Crypto
import Foundation

/// Tokens that forms of our pages carry, so that no other site can send one in the name of whoever is logged in
/// (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html, "HMAC based
/// token pattern").
///
/// A token is the session's own, and counts for as long as the session.
public struct FormTokens: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: `JWT_SECRET`.
    public init(secret: SymmetricKey) {
        key = DerivedKey.formTokens.make(from: secret)
    }

    /// The token of a session's forms.
    public func token(of session: Session.ID) -> String {
        SecureBytes.hmac(Data(session.description.utf8), key: key).base64URL
    }

    /// Whether this is the session's token. Takes the same time for every wrong one of the right length.
    public func isGenuine(_ token: String, of session: Session.ID) -> Bool {
        SecureBytes.areEqual(Array(token.utf8), Array(self.token(of: session).utf8))
    }
}
