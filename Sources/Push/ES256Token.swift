import Crypto
import Foundation
import Shared

/// Tokens that push services know a sender by: JWTs (RFC 7519) signed with ES256 (RFC 7518 §3.4), which Apple and
/// Web Push both ask for.
///
/// jwt-kit keeps its keys in an actor; made here, a token can be signed and kept in one step under a lock. Nothing is
/// verified with it, which is where the traps are.
enum ES256Token {
    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String?
        let typ = "JWT"
    }

    /// - Parameter keyID: `kid`, for services that know more than one key of a sender.
    static func sign(
        _ claims: some Encodable, keyID: String? = nil, with key: P256.Signing.PrivateKey
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let signed = try "\(encoder.encode(Header(kid: keyID)).base64URL).\(encoder.encode(claims).base64URL)"
        return "\(signed).\(try key.signature(for: Data(signed.utf8)).rawRepresentation.base64URL)"
    }
}
