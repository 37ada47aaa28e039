import Crypto
import CryptoExtras
public import Foundation

/// The public key with which a service signs the ballot papers of one sprint, without seeing them.
///
/// All voters of a sprint have the same. ``Session/ballotKey(of:in:first:)`` compares it with what others see.
public struct BallotKey: Codable, Hashable, Sendable {
    /// SHA-256 of ``publicKey``, as 64 hexadecimal digits.
    public let id: String
    /// SubjectPublicKeyInfo in DER (RFC 5280 §4.1).
    public let publicKey: Data

    /// The first eight digits of ``id``, for people to compare: two keys that share them are hard to find.
    public var shortID: String { String(id.prefix(8)) }

    /// - Throws: ``ClientError/keyDiffers(_:)`` (`notValid`) unless it is an RSA key of 2048 bits.
    public init(publicKey: Data) throws(ClientError) {
        id = SHA256.hash(data: publicKey).hexadecimal
        self.publicKey = publicKey
        guard (try? verifier())?.keySizeInBits == 2_048 else { throw .keyDiffers(.notValid) }
    }

    /// Checks papers that are signed with this key.
    func verifier() throws -> _RSA.BlindSigning.PublicKey<SHA384> {
        try _RSA.BlindSigning.PublicKey(derRepresentation: publicKey, parameters: .RSABSSA_SHA384_PSS_Deterministic)
    }
}

extension SHA256Digest {
    /// 64 digits.
    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
