package import Crypto
import Foundation

/// Issues and verifies refresh tokens, `session.generation.code`.
///
/// The code is an HMAC over session, generation and the session's seed. So every issued token can be distinguished from
/// a forged one without storing any, and neither a dump of the store nor the secret alone suffices to forge one.
package struct RefreshTokens: Sendable {
    /// The claims of a token; trustworthy only after `isGenuine`.
    package struct Parts: Hashable, Sendable {
        package let sessionID: Session.ID
        package let generation: Int
        fileprivate let code: [UInt8]
    }

    private let key: SymmetricKey

    package init(secret: SymmetricKey) {
        key = DerivedKey.refreshTokens.make(from: secret)
    }

    /// The token of one generation of a session; always the same.
    package func token(of session: Session, generation: Int) -> String {
        "\(session.id).\(generation).\(code(of: session, generation: generation).base64URL)"
    }

    /// `nil` for text of another form.
    package func parse(_ token: String) -> Parts? {
        let parts = token.trimmingCharacters(in: .whitespacesAndNewlines)
            .split(separator: ".", omittingEmptySubsequences: false)
        // A generation has one spelling: no sign, no leading zero.
        guard parts.count == 3, let sessionID = Session.ID(String(parts[0])), let generation = Int(parts[1]),
            generation >= 0, String(generation) == parts[1], let code = [UInt8](base64URL: parts[2])
        else { return nil }
        return Parts(sessionID: sessionID, generation: generation, code: code)
    }

    /// Whether the token was issued for this session, in any generation.
    package func isGenuine(_ parts: Parts, of session: Session) -> Bool {
        parts.sessionID == session.id
            && SecureBytes.areEqual(parts.code, code(of: session, generation: parts.generation))
    }

    private func code(of session: Session, generation: Int) -> [UInt8] {
        SecureBytes.hmac(Data("\(session.id)|\(generation)|".utf8) + session.seed, key: key)
    }
}
