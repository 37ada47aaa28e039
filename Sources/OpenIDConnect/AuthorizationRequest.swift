import Crypto
import Foundation

/// The secrets of one log-in, to be kept by the browser that began it, where nobody else can read or change them.
public struct AuthorizationRequest: Codable, Equatable, Sendable {
    /// Comes back with the answer: that this browser asked (RFC 6749 §10.12).
    public let state: String
    /// Comes back in the ID token: that it was made for this log-in.
    public let nonce: String
    /// Proves at the token endpoint that the code is ours (RFC 7636 §4.1).
    public let codeVerifier: String

    /// New ones, 256 random bits each.
    public init() {
        state = Self.random()
        nonce = Self.random()
        codeVerifier = Self.random()
    }

    /// RFC 7636 §4.2, `S256`.
    var codeChallenge: String {
        Base64URL.encode(SHA256.hash(data: Data(codeVerifier.utf8)))
    }

    private static func random() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.encode($0) }
    }
}
