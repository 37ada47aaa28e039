import Crypto
import Shared

/// Encryption of a message for one browser (RFC 8291): the push service, which carries it, cannot read it.
enum WebPushEncryption {
    /// Bytes a message is filled up to, so that all reminders have one length on the wire. A push service knows whose
    /// browser it posts to; from lengths it could also tell a team's name from another's, and a language.
    ///
    /// Twice the longest of ours. Not the 3,993 that RFC 8291 §4 allows: Firefox for Android gets its messages through
    /// a bridge that refuses more than about 3,000 with its encryption
    /// (https://github.com/web-push-libs/web-push-php/issues/108).
    static let standardLength = 2_048
    /// Bytes of a message that every push service must take: 4,096 (RFC 8030 §7.2) less what encryption adds.
    static let maximumLength = 3_993

    /// The body to post with `Content-Encoding: aes128gcm`.
    /// - Parameters:
    ///   - text: at most `maximumLength` bytes; padded to it if longer than `standardLength`.
    ///   - sender: a key for this message alone.
    ///   - salt: random, 16 bytes.
    /// - Throws: `CryptoKitError` if the subscription's key is not a point of P-256.
    static func encrypt(
        _ text: [UInt8], for subscription: WebPushSubscription, sender: P256.KeyAgreement.PrivateKey = .init(),
        salt: [UInt8] = SecureBytes.random(count: EncryptedContent.saltLength)
    ) throws -> [UInt8] {
        try encrypt(
            text, paddedTo: text.count <= standardLength ? standardLength : maximumLength, for: subscription,
            sender: sender, salt: salt)
    }

    /// The same without padding, as in the RFC's example, or with as much as wanted.
    static func encrypt(
        _ text: [UInt8], paddedTo length: Int, for subscription: WebPushSubscription,
        sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]
    ) throws -> [UInt8] {
        let receiver = try P256.KeyAgreement.PublicKey(x963Representation: subscription.publicKey)
        let senderKey = Array(sender.publicKey.x963Representation)
        let keyingMaterial = try sender.sharedSecretFromKeyAgreement(with: receiver).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: subscription.authenticationSecret,
            sharedInfo: Array("WebPush: info\0".utf8) + subscription.publicKey + senderKey, outputByteCount: 32)
        return try EncryptedContent.seal(
            text, paddedTo: length, keyingMaterial: keyingMaterial, salt: salt, keyID: senderKey)
    }
}
