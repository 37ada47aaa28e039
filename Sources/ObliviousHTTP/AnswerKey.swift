import Crypto
import Foundation

/// The key of the answer to one request (RFC 9458 §4.4). A client may store it until it fetches the answer.
package struct AnswerKey: Codable, Hashable, Sendable {
    /// Exported from the request's context: 16 bytes.
    let secret: [UInt8]
    /// The request's encapsulated key.
    let encapsulatedKey: [UInt8]

    /// What is exported for it.
    static let context = Data("message/bhttp response".utf8)
    /// Bytes of the secret and of the nonce in front of an answer.
    static let length = max(KeyConfiguration.Algorithms.keyLength, KeyConfiguration.Algorithms.nonceLength)

    init(secret: SymmetricKey, encapsulatedKey: some Sequence<UInt8>) {
        self.secret = secret.withUnsafeBytes { Array($0) }
        self.encapsulatedKey = Array(encapsulatedKey)
    }

    /// Encrypts an answer, once.
    /// - Parameter nonce: random, 16 bytes.
    /// - Throws: an error of the cryptography library.
    func seal(_ message: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        let (key, cipherNonce) = try keyAndNonce(nonce)
        let box = try AES.GCM.seal(message, using: key, nonce: cipherNonce)
        return nonce + box.ciphertext + box.tag
    }

    /// Decrypts the answer to the request.
    /// - Throws: `ObliviousHTTPError`: `malformed` if it is too short, `wrongKey` if it is the answer to another
    ///   request or has been changed.
    package func open(_ answer: some Collection<UInt8>) throws(ObliviousHTTPError) -> [UInt8] {
        var reader = ByteReader(answer)
        let nonce = try reader.bytes(Self.length)
        let sealed = reader.remaining()
        guard sealed.count >= KeyConfiguration.Algorithms.tagLength else { throw .malformed }
        do {
            let (key, cipherNonce) = try keyAndNonce(nonce)
            let box = try AES.GCM.SealedBox(
                nonce: cipherNonce, ciphertext: sealed.dropLast(KeyConfiguration.Algorithms.tagLength),
                tag: sealed.suffix(KeyConfiguration.Algorithms.tagLength))
            return Array(try AES.GCM.open(box, using: key))
        } catch {
            throw .wrongKey
        }
    }

    private func keyAndNonce(_ nonce: some Collection<UInt8>) throws -> (SymmetricKey, AES.GCM.Nonce) {
        let extracted = HKDF<SHA256>.extract(
            inputKeyMaterial: SymmetricKey(data: secret), salt: Data(encapsulatedKey + nonce))
        func expand(_ label: String, _ length: Int) -> SymmetricKey {
            HKDF<SHA256>.expand(pseudoRandomKey: extracted, info: Data(label.utf8), outputByteCount: length)
        }
        let cipherNonce = expand("nonce", KeyConfiguration.Algorithms.nonceLength)
        return (
            expand("key", KeyConfiguration.Algorithms.keyLength),
            try AES.GCM.Nonce(data: cipherNonce.withUnsafeBytes { Data($0) })
        )
    }
}
