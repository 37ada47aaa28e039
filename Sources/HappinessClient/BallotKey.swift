import Crypto
import CryptoExtras
public import Foundation

/// The public key with which a service signs the ballot papers of one sprint, without seeing them.
///
/// All voters of a sprint must have the same: a service that gives each voter a key of their own can recognise their
/// ballots. Only people who compare ``digits`` notice that.
public struct BallotKey: Codable, Hashable, Sendable {
    /// SHA-256 of ``publicKey``, as 64 hexadecimal digits.
    public let id: String
    /// SubjectPublicKeyInfo in DER (RFC 5280 §4.1).
    public let publicKey: Data

    /// Half of ``id`` in groups of four, for people to compare. 128 bits, because a service can create keys until two
    /// of them share their first digits.
    public var digits: String {
        stride(from: 0, to: 32, by: 4).map { String(id.dropFirst($0).prefix(4)) }.joined(separator: " ")
    }

    /// - Throws: ``ClientError/keyDiffers(_:)`` (`notValid`) unless it is an RSA key of 2048 bits with the exponent
    ///   65537, in the one spelling that DER has for it.
    public init(publicKey: Data) throws(ClientError) {
        id = SHA256.hash(data: publicKey).hexadecimal
        self.publicKey = publicKey
        guard let verifier = try? verifier(), verifier.keySizeInBits == 2_048,
            verifier.derRepresentation == publicKey,
            (try? verifier.getKeyPrimitives().publicExponent) == Data([1, 0, 1])
        else { throw .keyDiffers(.notValid) }
    }

    /// Reads a key that was kept on the device.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(publicKey: try container.decode(Data.self, forKey: .publicKey))
    }

    /// The hash of a paper under which a count lists it once it is used: SHA-256 of ``id``, as bytes, and the paper.
    func spentHash(of paper: Data) -> Data {
        Data(SHA256.hash(data: Data(SHA256.hash(data: publicKey)) + paper))
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
