import CryptoExtras
package import Domain
package import Foundation
import Testing

/// A ballot paper on a voter's device: what the device sends to get it signed, and what it makes of the answer.
package struct BlindedPaper {
    private typealias PublicKey = _RSA.BlindSigning.PublicKey<SHA384>

    package let paper: BallotPaper
    /// What the server signs; 256 bytes.
    package let blindedMessage: Data
    private let publicKey: PublicKey
    private let inverse: _RSA.BlindSigning.BlindingInverse

    /// A new paper for a key as the API returns it.
    /// - Throws: if this is no such key.
    package init(publicKey: some DataProtocol) throws {
        paper = try .random()
        self.publicKey = try PublicKey(derRepresentation: publicKey, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        let blinding = try self.publicKey.blind(self.publicKey.prepare(paper.bytes))
        blindedMessage = blinding.blindedMessage
        inverse = blinding.inverse
    }

    /// Unblinds the server's answer.
    /// - Throws: if it is not the signature of `blindedMessage`.
    package func signature(from blindSignature: some DataProtocol) throws -> Data {
        try publicKey.finalize(
            _RSA.BlindSigning.BlindSignature(rawRepresentation: blindSignature), for: publicKey.prepare(paper.bytes),
            blindingInverse: inverse
        ).rawRepresentation
    }
}

extension BallotPaper {
    /// Random bytes, as a device makes them.
    package static func random() throws -> BallotPaper {
        try #require(BallotPaper(bytes: SecureBytes.random(count: length)))
    }
}

extension SignedPaper {
    /// A random paper with random bytes in place of a signature: stores check none.
    package static func random() throws -> SignedPaper {
        SignedPaper(try .random(), signature: SecureBytes.random(count: BallotKey.signatureLength))
    }
}
