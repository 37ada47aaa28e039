import Crypto
package import Domain
import Foundation

/// A browser's part of the encryption (RFC 8291, RFC 8188), implemented from the RFCs and without the sender's code:
/// HKDF is built from HMAC, and any number of records is accepted.
package struct WebPushReceiver: Sendable {
    /// Why a body cannot be decrypted.
    package enum Unreadable: Error, Equatable {
        /// Too short for its header, or for a record.
        case truncated
        /// A record's delimiter is missing or wrong for its position.
        case wrongDelimiter
        /// The sender's key is not a point of P-256.
        case wrongSenderKey
    }

    private let key: P256.KeyAgreement.PrivateKey
    private let authenticationSecret: [UInt8]

    /// Creates a browser with random secrets.
    package init() {
        key = P256.KeyAgreement.PrivateKey()
        authenticationSecret = SecureBytes.random(count: 16)
    }

    /// Creates a browser with known secrets, as in the RFC's example.
    package init(privateKey: [UInt8], authenticationSecret: [UInt8]) throws {
        key = try P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
        self.authenticationSecret = authenticationSecret
    }

    /// The subscription that the browser gives to a page.
    package func subscription(endpoint: String) -> WebPushSubscription {
        WebPushSubscription(
            endpoint: endpoint, publicKey: Array(key.publicKey.x963Representation),
            authenticationSecret: authenticationSecret)
    }

    /// The text of a body (RFC 8291 §3.4).
    package func open(_ body: [UInt8]) throws -> [UInt8] {
        let keyID = try Self.header(of: body).keyID
        guard let sender = try? P256.KeyAgreement.PublicKey(x963Representation: keyID) else {
            throw Unreadable.wrongSenderKey
        }
        let secret = try key.sharedSecretFromKeyAgreement(with: sender).withUnsafeBytes { Array($0) }
        let info = Array("WebPush: info".utf8) + [0] + Array(key.publicKey.x963Representation) + keyID
        let material = Self.expand(Self.hmac(secret, key: authenticationSecret), info: info, count: 32)
        return try Self.open(body, keyingMaterial: material)
    }

    /// The text of a body whose keying material is known (RFC 8188 §2).
    package static func open(_ body: [UInt8], keyingMaterial: [UInt8]) throws -> [UInt8] {
        let header = try header(of: body)
        let extracted = hmac(keyingMaterial, key: header.salt)
        let key = expand(extracted, info: Array("Content-Encoding: aes128gcm".utf8) + [0], count: 16)
        let nonce = expand(extracted, info: Array("Content-Encoding: nonce".utf8) + [0], count: 12)
        var rest = body.dropFirst(21 + header.keyID.count)
        var text: [UInt8] = []
        var number: UInt8 = 0
        repeat {
            let record = rest.prefix(header.recordSize)
            rest = rest.dropFirst(header.recordSize)
            guard record.count > 17 else { throw Unreadable.truncated }
            // The record's number is combined with the end of the nonce; one byte of it is enough for tests.
            let recordNonce = nonce.dropLast() + [nonce[11] ^ number]
            let box = try AES.GCM.SealedBox(combined: recordNonce + record)
            let padded = try AES.GCM.open(box, using: SymmetricKey(data: key))
            let delimiter: UInt8 = rest.isEmpty ? 2 : 1
            guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == delimiter else {
                throw Unreadable.wrongDelimiter
            }
            text += padded[..<end]
            number += 1
        } while !rest.isEmpty
        return text
    }

    private static func header(of body: [UInt8]) throws -> (salt: [UInt8], recordSize: Int, keyID: [UInt8]) {
        guard body.count > 21 else { throw Unreadable.truncated }
        let size = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let end = 21 + Int(body[20])
        guard size > 17, body.count > end else { throw Unreadable.truncated }
        return (Array(body[..<16]), size, Array(body[21..<end]))
    }

    private static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
    }

    /// The first block of HKDF-Expand (RFC 5869 §2.3), which is enough for up to 32 bytes.
    private static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        Array(hmac(info + [1], key: key).prefix(count))
    }
}
