import Crypto
import Domain
import Foundation

/// A JWT signed with ES256, as a receiver parses it (RFC 7515 §5.2).
struct SignedToken: Sendable {
    private let signed: String
    private let signature: [UInt8]
    private let headerBytes: [UInt8]
    private let claimBytes: [UInt8]

    /// `nil` unless the text consists of three parts in base64url.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = [UInt8](base64URL: parts[0]), let claims = [UInt8](base64URL: parts[1]),
            let signature = [UInt8](base64URL: parts[2])
        else { return nil }
        signed = "\(parts[0]).\(parts[1])"
        headerBytes = header
        claimBytes = claims
        self.signature = signature
    }

    /// The members of the first part.
    var header: [String: Any] { Self.object(headerBytes) }
    /// The members of the second part.
    var claims: [String: Any] { Self.object(claimBytes) }

    /// A claim with a whole number.
    func integer(_ name: String) -> Int? { claims[name] as? Int }

    /// Whether it was signed with the key, and the header says so.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard header["alg"] as? String == "ES256",
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: Data(signed.utf8))
    }

    private static func object(_ bytes: [UInt8]) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
    }
}
