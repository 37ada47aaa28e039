import Crypto
import Foundation

/// A gateway's public key, and the algorithms it understands (RFC 9458 §3).
package struct KeyConfiguration: Hashable, Sendable {
    /// Algorithms by their numbers (RFC 9180 §7).
    package struct Algorithms: Hashable, Sendable {
        /// The method of key exchange.
        package let kem: UInt16
        /// HKDF-SHA256.
        package let kdf: UInt16 = 0x0001
        /// AES-128-GCM.
        package let aead: UInt16 = 0x0001

        /// With P-256: the browsers' WebCrypto and swift-crypto have it.
        package static let p256 = Algorithms(kem: 0x0010)
        /// With X25519, as in the example of the RFC.
        package static let x25519 = Algorithms(kem: 0x0020)

        /// Bytes of the cipher's key.
        static let keyLength = 16
        /// Bytes of the cipher's nonce.
        static let nonceLength = 12
        /// Bytes of the cipher's tag.
        static let tagLength = 16

        /// The same, for the cryptography library.
        var ciphersuite: HPKE.Ciphersuite {
            HPKE.Ciphersuite(
                kem: self == .p256 ? .P256_HKDF_SHA256 : .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256,
                aead: .AES_GCM_128)
        }

        /// Bytes of a public key and of an encapsulated key.
        var publicKeyLength: Int { self == .p256 ? 65 : 32 }
    }

    /// Tells keys of one gateway apart.
    package let id: UInt8
    /// Algorithms.
    package let algorithms: Algorithms
    /// As in the header of a message: a point that is not compressed, with P-256.
    package let publicKey: [UInt8]

    /// - Parameter publicKey: 65 bytes with P-256, 32 with X25519.
    package init(id: UInt8, algorithms: Algorithms, publicKey: [UInt8]) {
        self.id = id
        self.algorithms = algorithms
        self.publicKey = publicKey
    }

    /// One configuration as `application/ohttp-keys`: after its length.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [id]
        bytes.append(integer: algorithms.kem)
        bytes += publicKey
        bytes.append(integer: 4 as UInt16)
        bytes.append(integer: algorithms.kdf)
        bytes.append(integer: algorithms.aead)
        var list: [UInt8] = []
        list.append(integer: UInt16(bytes.count))
        return list + bytes
    }

    /// The first configuration in an `application/ohttp-keys` that has our algorithms.
    /// - Throws: `ObliviousHTTPError.malformed`, also if there is none.
    package init(list: some Sequence<UInt8>) throws(ObliviousHTTPError) {
        var reader = ByteReader(list)
        while !reader.isAtEnd {
            var entry = ByteReader(try reader.bytes(Int(try reader.integer(UInt16.self))))
            if let configuration = try Self.read(&entry) {
                self = configuration
                return
            }
        }
        throw .malformed
    }

    /// - Returns: `nil` for algorithms that this code does not have.
    private static func read(_ reader: inout ByteReader) throws(ObliviousHTTPError) -> KeyConfiguration? {
        let id = try reader.integer(UInt8.self)
        let kem = try reader.integer(UInt16.self)
        // The length of the key follows from the method, so an unknown one hides what comes after it.
        guard let algorithms = [Algorithms.p256, .x25519].first(where: { $0.kem == kem }) else { return nil }
        let publicKey = Array(try reader.bytes(algorithms.publicKeyLength))
        var pairs = ByteReader(try reader.bytes(Int(try reader.integer(UInt16.self))))
        while !pairs.isAtEnd {
            let pair = (kdf: try pairs.integer(UInt16.self), aead: try pairs.integer(UInt16.self))
            if pair == (algorithms.kdf, algorithms.aead) {
                return KeyConfiguration(id: id, algorithms: algorithms, publicKey: publicKey)
            }
        }
        return nil
    }

    /// The header of a message (RFC 9458 §4.3).
    var header: [UInt8] {
        var bytes: [UInt8] = [id]
        for number in [algorithms.kem, algorithms.kdf, algorithms.aead] { bytes.append(integer: number) }
        return bytes
    }

    /// What the key of a request is bound to (RFC 9458 §4.3).
    var requestInfo: Data {
        Data("message/bhttp request".utf8) + [0] + header
    }
}
