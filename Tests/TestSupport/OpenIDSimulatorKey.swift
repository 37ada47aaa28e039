import Crypto
import CryptoExtras
import Domain
import Foundation

/// A signing key of an `OpenIDSimulator`.
package struct OpenIDSimulatorKey: Sendable {
    private enum Material: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    /// `kid`.
    package let id: String
    /// `alg` in the header of tokens.
    package let algorithm: String
    /// `alg` of the key in the set; `nil` omits it, as many providers do.
    package var statedAlgorithm: String?
    private let material: Material

    /// Creates an RSA key for RS256.
    package static func rsa(_ id: String, bits: Int = 2_048) throws -> OpenIDSimulatorKey {
        let key = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits))
        return OpenIDSimulatorKey(id: id, algorithm: "RS256", material: .rsa(key))
    }

    /// Creates a P-256 key for ES256.
    package static func p256(_ id: String) -> OpenIDSimulatorKey {
        OpenIDSimulatorKey(id: id, algorithm: "ES256", material: .p256(P256.Signing.PrivateKey()))
    }

    private init(id: String, algorithm: String, material: Material) {
        self.id = id
        self.algorithm = algorithm
        self.material = material
    }

    /// The public key as text, which an attacker could use as a shared secret.
    var publicBytes: Data {
        switch material {
        case .rsa(let key): Data(key.publicKey.pemRepresentation.utf8)
        case .p256(let key): Data(key.publicKey.pemRepresentation.utf8)
        }
    }

    /// The key as a JWK (RFC 7517).
    var jwk: [String: Any] {
        var jwk: [String: Any] = ["kid": id, "use": "sig"]
        jwk["alg"] = statedAlgorithm
        switch material {
        case .rsa(let key):
            let numbers = try? key.publicKey.getKeyPrimitives()
            jwk["kty"] = "RSA"
            jwk["n"] = numbers?.modulus.base64URL
            jwk["e"] = numbers?.publicExponent.base64URL
        case .p256(let key):
            let point = key.publicKey.rawRepresentation
            jwk["kty"] = "EC"
            jwk["crv"] = "P-256"
            jwk["x"] = point.prefix(32).base64URL
            jwk["y"] = point.suffix(32).base64URL
        }
        return jwk
    }

    func sign(_ data: Data) throws -> [UInt8] {
        switch material {
        case .rsa(let key):
            Array(try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .p256(let key): Array(try key.signature(for: data).rawRepresentation)
        }
    }
}
