import Crypto
import Domain
import Foundation

/// Tokens that identify a sender to push services: JWTs (RFC 7519) signed with ES256 (RFC 7518 §3.4), as Apple and Web
/// Push both require.
///
/// jwt-kit keeps its keys in an actor; this code can sign and store a token in one step under a lock. It verifies no
/// tokens, which would be the difficult part.
enum ES256Token {
    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String?
        let typ = "JWT"
    }

    /// - Parameter keyID: `kid`, for services that support several keys per sender.
    static func sign(
        _ claims: some Encodable, keyID: String? = nil, with key: P256.Signing.PrivateKey
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let signed = try "\(encoder.encode(Header(kid: keyID)).base64URL).\(encoder.encode(claims).base64URL)"
        return "\(signed).\(try key.signature(for: Data(signed.utf8)).rawRepresentation.base64URL)"
    }
}
