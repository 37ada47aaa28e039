import Crypto
import Domain

/// Encrypts a message for one browser (RFC 8291): the push service cannot read it.
enum WebPushEncryption {
    /// Bytes to which messages are padded, so that all reminders have the same length. A push service knows to which
    /// browser it delivers; different lengths could also reveal the team's name or the language.
    ///
    /// Twice the length of our longest message. Not the 3,993 that RFC 8291 §4 allows: Firefox for Android gets its
    /// messages through a bridge that rejects more than about 3,000 with its encryption
    /// (https://github.com/web-push-libs/web-push-php/issues/108).
    static let standardLength = 2_048
    /// Bytes of a message that every push service must accept: 4,096 (RFC 8030 §7.2) minus what encryption adds.
    static let maximumLength = 3_993

    /// The body to send with `Content-Encoding: aes128gcm`.
    /// - Parameters:
    ///   - text: at most `maximumLength` bytes; padded to it if longer than `standardLength`.
    ///   - sender: a key for this message only.
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

    /// The same without padding, as in the RFC's example, or with a given padding.
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
