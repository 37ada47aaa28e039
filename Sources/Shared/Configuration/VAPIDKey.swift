public import Crypto
import Foundation

/// The key pair that a browser's subscription is bound to (RFC 8292, Voluntary Application Server Identification):
/// messages signed with another one are refused, so a changed key ends every subscription.
public struct VAPIDKey: Sendable {
    /// Signs who sends.
    public let privateKey: P256.Signing.PrivateKey

    /// A new key pair.
    public init() {
        privateKey = P256.Signing.PrivateKey()
    }

    /// Reads `privateText`; `nil` for anything else.
    public init?(privateText: String) {
        guard let bytes = [UInt8](base64URL: privateText),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: Data(bytes))
        else { return nil }
        privateKey = key
    }

    /// The private key as `VAPID_PRIVATE_KEY` has it and the usual tools print it: 32 bytes in base64url.
    public var privateText: String { privateKey.rawRepresentation.base64URL }

    /// The public key as a page hands it to `PushManager.subscribe`: an uncompressed point, 65 bytes, in base64url.
    public var publicText: String { privateKey.publicKey.x963Representation.base64URL }
}
