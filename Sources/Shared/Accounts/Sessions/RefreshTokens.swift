import Crypto
import Foundation

/// Makes and recognises refresh tokens, `session.generation.code`.
///
/// The code is an HMAC over session, generation and the session's seed. So every token that was ever given out can
/// be told from a forged one without any being stored, and neither a dump of the store nor the secret alone makes one.
struct RefreshTokens: Sendable {
    /// What a token says about itself; true only if `isGenuine`.
    struct Parts: Hashable, Sendable {
        let sessionID: Session.ID
        let generation: Int
        fileprivate let code: [UInt8]
    }

    private let key: SymmetricKey

    init(secret: SymmetricKey) {
        key = DerivedKey.refreshTokens.make(from: secret)
    }

    /// The token of one generation of a session; the same each time.
    func token(of session: Session, generation: Int) -> String {
        "\(session.id).\(generation).\(code(of: session, generation: generation).base64URL)"
    }

    /// `nil` for a text of another shape.
    func parse(_ token: String) -> Parts? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // A generation has one spelling: no sign, no leading zero.
        guard parts.count == 3, let sessionID = Session.ID(String(parts[0])), let generation = Int(parts[1]),
            generation >= 0, String(generation) == parts[1], let code = [UInt8](base64URL: parts[2])
        else { return nil }
        return Parts(sessionID: sessionID, generation: generation, code: code)
    }

    /// Whether the token was given out for this session, in whatever generation.
    func isGenuine(_ parts: Parts, of session: Session) -> Bool {
        parts.sessionID == session.id
            && SecureBytes.areEqual(parts.code, code(of: session, generation: parts.generation))
    }

    private func code(of session: Session, generation: Int) -> [UInt8] {
        SecureBytes.hmac(Data("\(session.id)|\(generation)|".utf8) + session.seed, key: key)
    }
}
