import Domain
import Foundation
import JWTKit

/// The two algorithms an ID token may be signed with (RFC 7518 §3.1). Neither uses a shared key, so a public key can
/// never be mistaken for one.
enum SigningAlgorithm: String, Sendable {
    /// RSA PKCS #1 v1.5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
}

/// A provider's public key.
struct VerificationKey: Sendable {
    fileprivate enum Material: Sendable {
        case rsa(modulus: String, exponent: String)
        case p256(x: String, y: String)
    }

    let id: String?
    let algorithm: SigningAlgorithm
    fileprivate let material: Material

    /// A collection with only this key and a fixed algorithm: jwt-kit uses these whatever the token's header says.
    func collection() async throws -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        switch material {
        case .rsa(let modulus, let exponent):
            let key = try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
            return await keys.add(rsa: key, digestAlgorithm: .sha256)
        case .p256(let x, let y):
            return await keys.add(ecdsa: try ES256PublicKey(parameters: (x: x, y: y)))
        }
    }
}

/// The usable signing keys of a JWK Set (RFC 7517 §5); others are ignored.
struct KeySet: Decodable, Sendable {
    private let keys: [VerificationKey]

    /// Bytes of an RSA modulus: 2,048 bits is the minimum (RFC 7518 §3.3), and 8,192 bits are still fast enough.
    private static let modulusLengths = 256...1_024
    /// A set has two or three keys; there is no need to search thousands.
    private static let maximumCount = 50

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let entries = try container.decode([LenientEntry].self, forKey: .keys)
        keys = entries.prefix(Self.maximumCount).compactMap { $0.entry.flatMap(Self.key) }
    }

    /// The key for a token's header. Without a `kid`, only one key may match (OpenID Connect Core 1.0 §10.1).
    func key(id: String?, algorithm: SigningAlgorithm) -> VerificationKey? {
        let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting.first : nil
    }

    private static func key(_ entry: Entry) -> VerificationKey? {
        guard entry.use == nil || entry.use == "sig" else { return nil }
        func isFor(_ algorithm: SigningAlgorithm) -> Bool { entry.alg == nil || entry.alg == algorithm.rawValue }
        switch (entry.kty, entry.n, entry.e, entry.crv, entry.x, entry.y) {
        case ("RSA", let n?, let e?, _, _, _) where isFor(.rs256):
            guard let modulus = [UInt8](base64URL: n), modulusLengths.contains(modulus.drop { $0 == 0 }.count) else {
                return nil
            }
            return VerificationKey(id: entry.kid, algorithm: .rs256, material: .rsa(modulus: n, exponent: e))
        case ("EC", _, _, "P-256", let x?, let y?) where isFor(.es256):
            return VerificationKey(id: entry.kid, algorithm: .es256, material: .p256(x: x, y: y))
        default: return nil
        }
    }

    private enum CodingKeys: CodingKey {
        case keys
    }

    /// An unknown type of key must not invalidate the others.
    private struct LenientEntry: Decodable {
        let entry: Entry?

        init(from decoder: any Decoder) throws {
            entry = try? Entry(from: decoder)
        }
    }

    private struct Entry: Decodable {
        let kty: String
        let kid: String?
        let use: String?
        let alg: String?
        let n: String?
        let e: String?
        let crv: String?
        let x: String?
        let y: String?
    }
}
