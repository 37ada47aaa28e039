import Crypto
import Foundation
import TestSupport
import Testing

/// HPKE, which encrypts backups.
@Suite struct HPKEVectorTests {
    /// RFC 9180 A.3.1: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM.
    private struct Vector: Decodable {
        struct Encryption: Decodable {
            let sequence: Int
            let aad, ct, pt: String
        }

        struct Export: Decodable {
            let exporter_context: String
            let L: Int
            let exported_value: String
        }

        let info, skRm, enc: String
        let encryptions: [Encryption]
        let exports: [Export]
    }

    @Test func `The library agrees with the vectors of RFC 9180`() throws {
        let json = try Repository.text("Tests/Browser/vectors/rfc9180-a3-1.json")
        let vector = try JSONDecoder().decode(Vector.self, from: Data(json.utf8))
        var recipient = try HPKE.Recipient(
            privateKey: P256.KeyAgreement.PrivateKey(rawRepresentation: Data(hexadecimal: vector.skRm)),
            ciphersuite: HPKE.Ciphersuite(kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_128),
            info: Data(hexadecimal: vector.info), encapsulatedKey: Data(hexadecimal: vector.enc))
        for encryption in vector.encryptions.prefix(3) {
            let plain = try recipient.open(
                Data(hexadecimal: encryption.ct), authenticating: Data(hexadecimal: encryption.aad))
            #expect(plain == (try Data(hexadecimal: encryption.pt)))
        }
        for export in vector.exports {
            let secret = try recipient.exportSecret(
                context: Data(hexadecimal: export.exporter_context), outputByteCount: export.L)
            #expect(secret == SymmetricKey(data: try Data(hexadecimal: export.exported_value)))
        }
    }
}
