import Crypto
import CryptoExtras
import Foundation
import HappinessClient
import TestSupport
import Testing

/// The client's cryptography against the RFC's vectors and against a second implementation.
@Suite struct BlindRSATests {
    private typealias PublicKey = _RSA.BlindSigning.PublicKey<SHA384>
    private typealias PrivateKey = _RSA.BlindSigning.PrivateKey<SHA384>

    /// RFC 9474 appendix A.3: RSABSSA-SHA384-PSS-Deterministic.
    private struct Vector: Decodable {
        let n: String
        let e: String
        let msg: String
        let salt: String
        let inv: String
        let blinded_msg: String
        let blind_sig: String
        let sig: String

        static func load() throws -> Vector {
            try JSONDecoder().decode(
                Vector.self, from: Data(try Repository.text("Tests/Browser/vectors/rfc9474-a3.json").utf8))
        }

        var publicKey: PublicKey {
            get throws {
                try PublicKey(
                    n: try Data(hexadecimal: n), e: try Data(hexadecimal: e),
                    parameters: .RSABSSA_SHA384_PSS_Deterministic)
            }
        }
    }

    @Test(.thorough) func `Blind and Finalize give the bytes of the RFC`() throws {
        let vector = try Vector.load()
        let blindRSA = try BlindRSA(vector.publicKey)
        let message = try Data(hexadecimal: vector.msg)
        let inverse = try Data(hexadecimal: vector.inv)
        // The RFC gives the inverse of the factor. The factor is the inverse of that.
        let factor = try blindRSA.blind(message, factor: inverse).inverse
        let blinding = try blindRSA.blind(message, salt: try Data(hexadecimal: vector.salt), factor: factor)
        #expect(blinding.message == (try Data(hexadecimal: vector.blinded_msg)))
        #expect(blinding.inverse == inverse)
        let signature = blindRSA.unblind(try Data(hexadecimal: vector.blind_sig), of: message, inverse: inverse)
        #expect(signature == (try Data(hexadecimal: vector.sig)))
    }

    @Test func `swift-crypto signs what the client blinds`() throws {
        let key = try PrivateKey(keySize: .bits2048, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        let blindRSA = try BlindRSA(key.publicKey)
        let message = Data((0..<32).map { UInt8($0) })
        let blinding = try blindRSA.blind(message)
        let blindSignature = try key.blindSignature(for: blinding.message).rawRepresentation
        let signature = try #require(blindRSA.unblind(blindSignature, of: message, inverse: blinding.inverse))
        #expect(
            key.publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: key.publicKey.prepare(message)))
        #expect(try blindRSA.blind(message).message != blinding.message)
    }

    @Test func `A signature of something else is not accepted`() throws {
        let key = try PrivateKey(keySize: .bits2048, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        let blindRSA = try BlindRSA(key.publicKey)
        let message = Data(count: 32)
        let blinding = try blindRSA.blind(message)
        let other = try key.blindSignature(for: try blindRSA.blind(Data(count: 31)).message).rawRepresentation
        #expect(blindRSA.unblind(other, of: message, inverse: blinding.inverse) == nil)
        #expect(blindRSA.unblind(other.dropLast(), of: message, inverse: blinding.inverse) == nil)
    }

    @Test func `Only RSA keys of 2048 bits are ballot keys`() throws {
        let small = try _RSA.Signing.PrivateKey(keySize: .bits3072).publicKey.derRepresentation
        for bytes in [small, Data(), P256.Signing.PrivateKey().publicKey.derRepresentation] {
            #expect(throws: ClientError.keyDiffers(.notValid)) { try BallotKey(publicKey: bytes) }
        }
    }

    /// An app that uses the library builds nothing of the server.
    @Test func `The library imports nothing of the server`() throws {
        let allowed: Set = [
            "BigInt", "Crypto", "CryptoExtras", "Foundation", "FoundationNetworking", "Synchronization",
        ]
        for source in try Repository.sources(in: "Sources/HappinessClient") {
            for line in source.text.matches(of: /(?m)^\s*(?:\w+ )?import (\w+)/) {
                #expect(allowed.contains(String(line.output.1)), "\(source.path)")
            }
        }
    }
}
