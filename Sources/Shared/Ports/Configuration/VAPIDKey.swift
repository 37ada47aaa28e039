package import Crypto
import Domain
import Foundation

/// The key pair that browser subscriptions are bound to (RFC 8292, Voluntary Application Server Identification). Push
/// services reject messages signed with another key, so changing it invalidates every subscription.
package struct VAPIDKey: Sendable {
    /// Signs the sender's identity.
    package let privateKey: P256.Signing.PrivateKey

    /// Generates a key pair.
    package init() {
        privateKey = P256.Signing.PrivateKey()
    }

    /// Parses the result of `privateText`; `nil` for anything else.
    package init?(privateText: String) {
        guard let bytes = [UInt8](base64URL: privateText),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: Data(bytes))
        else { return nil }
        privateKey = key
    }

    /// The private key as in `VAPID_PRIVATE_KEY` and the output of common tools: 32 bytes in base64url.
    package var privateText: String { privateKey.rawRepresentation.base64URL }

    /// The public key for a page's call of `PushManager.subscribe`: an uncompressed point, 65 bytes, in base64url.
    package var publicText: String { privateKey.publicKey.x963Representation.base64URL }
}
