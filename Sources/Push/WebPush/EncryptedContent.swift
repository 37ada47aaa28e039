import Crypto

/// The content coding `aes128gcm` (RFC 8188) with one record, which is all that Web Push allows (RFC 8291 §4).
enum EncryptedContent {
    /// Bytes of `salt` (RFC 8188 §2.1).
    static let saltLength = 16
    /// Maximum bytes of the record, including the tag; also the size every push service must accept (RFC 8030 §7.2).
    private static let recordSize: UInt32 = 4_096
    /// Ends the text of the last record; zeros after it are padding (RFC 8188 §2).
    private static let lastRecordDelimiter: UInt8 = 2

    /// Returns header and record.
    /// - Parameters:
    ///   - length: the text is padded to this length; ignored if it is longer.
    ///   - keyingMaterial: the secret shared by both sides.
    ///   - salt: random, 16 bytes, never used twice with the same keying material: the nonce is derived from it.
    ///   - keyID: at most 255 bytes, not encrypted; Web Push puts the sender's public key there.
    static func seal(
        _ text: [UInt8], paddedTo length: Int = 0, keyingMaterial: SymmetricKey, salt: [UInt8], keyID: [UInt8]
    ) throws -> [UInt8] {
        let key = derive("Content-Encoding: aes128gcm\0", count: 16, from: keyingMaterial, salt: salt)
        // The first record's number is zero, so the nonce is used unchanged (RFC 8188 §2.3).
        let nonce = derive("Content-Encoding: nonce\0", count: 12, from: keyingMaterial, salt: salt)
        let padding = [UInt8](repeating: 0, count: max(0, length - text.count))
        let box = try AES.GCM.seal(
            text + [lastRecordDelimiter] + padding, using: key,
            nonce: try nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) })
        let size = (0..<4).reversed().map { UInt8(truncatingIfNeeded: recordSize >> ($0 * 8)) }
        return salt + size + [UInt8(keyID.count)] + keyID + box.ciphertext + box.tag
    }

    /// RFC 8188 §2.2 and §2.3.
    private static func derive(
        _ purpose: String, count: Int, from material: SymmetricKey, salt: [UInt8]
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Array(purpose.utf8), outputByteCount: count)
    }
}
