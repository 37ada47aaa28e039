import Crypto
import Domain
import Foundation

/// The secrets of one login. Store them in the browser that began it, such that no one else can read or change them.
package struct AuthorizationRequest: Codable, Equatable, Sendable {
    /// Returned with the response: proves that this browser sent the request (RFC 6749 §10.12).
    package let state: String
    /// Returned in the ID token: proves that it was issued for this login.
    package let nonce: String
    /// Proves at the token endpoint that the code was issued to us (RFC 7636 §4.1).
    package let codeVerifier: String

    /// Generates new secrets of 256 random bits each.
    package init() {
        state = Self.random()
        nonce = Self.random()
        codeVerifier = Self.random()
    }

    /// RFC 7636 §4.2, method `S256`.
    var codeChallenge: String {
        SHA256.hash(data: Data(codeVerifier.utf8)).base64URL
    }

    private static func random() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { $0.base64URL }
    }
}
