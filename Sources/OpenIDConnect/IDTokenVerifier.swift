import Domain
import Foundation
import JWTKit

/// Validates ID tokens as OpenID Connect Core 1.0 §3.1.3.7 requires.
struct IDTokenVerifier: Sendable {
    let issuer: String
    let clientID: String

    /// Bytes. A token with hundreds of groups has about ten thousand.
    private static let maximumLength = 64 * 1024
    /// Seconds by which two machines' clocks may differ.
    static let leeway: TimeInterval = 60
    /// Seconds. We fetch a token right after it is issued; an old one belongs to an earlier login.
    static let maximumAge: TimeInterval = 600

    /// The relevant fields of a token's header.
    struct Header: Sendable {
        let algorithm: SigningAlgorithm
        let keyID: String?
    }

    /// Reads the header, and rejects unsupported algorithms before any key is used.
    /// - Throws: `OpenIDError.tokenRefused`.
    func header(of token: String) throws -> Header {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // jwt-kit also accepts malformed base64.
        guard token.utf8.count <= Self.maximumLength, parts.count == 3, let header = [UInt8](base64URL: parts[0]),
            [UInt8](base64URL: parts[1]) != nil, [UInt8](base64URL: parts[2]) != nil
        else { throw OpenIDError.tokenRefused(.malformed) }
        let fields: RawHeader
        do {
            fields = try JSONDecoder().decode(RawHeader.self, from: Data(header))
        } catch {
            throw OpenIDError.tokenRefused(.malformed)
        }
        // `crit` names extensions that must be understood (RFC 7515 §4.1.11); we support none.
        guard fields.crit == nil, let algorithm = SigningAlgorithm(rawValue: fields.alg) else {
            throw OpenIDError.tokenRefused(.algorithm)
        }
        return Header(algorithm: algorithm, keyID: fields.kid)
    }

    /// Validates signature and claims.
    /// - Throws: `OpenIDError.tokenRefused`.
    func claims(of token: String, key: VerificationKey, nonce: String, at now: Date) async throws -> IdentityClaims {
        let payload: Payload
        do {
            payload = try await key.collection().verify(token, as: Payload.self)
        } catch {
            // An invalid key, a signature of the wrong length, or claims that are not an object: not the provider's
            // token.
            throw OpenIDError.tokenRefused(.signature)
        }
        return try check(payload.claims, nonce: nonce, at: now)
    }

    private func check(
        _ claims: [String: ClaimValue], nonce: String, at now: Date
    ) throws(OpenIDError) -> IdentityClaims {
        guard claims["iss"]?.text == issuer else { throw .tokenRefused(.issuer) }
        let audiences = claims["aud"]?.texts ?? []
        guard audiences.contains(clientID) else { throw .tokenRefused(.audience) }
        let party = claims["azp"]
        // A token for several audiences must name us as the authorized party.
        guard party.map({ $0.text == clientID }) ?? (audiences.count == 1) else {
            throw .tokenRefused(.authorizedParty)
        }
        guard let expires = claims["exp"]?.number, let issued = claims["iat"]?.number,
            let subject = claims["sub"]?.text, !subject.isEmpty, subject.utf8.count <= 255
        else { throw .tokenRefused(.malformed) }
        let seconds = now.timeIntervalSince1970
        guard seconds < expires + Self.leeway else { throw .tokenRefused(.expired) }
        guard (seconds - Self.maximumAge - Self.leeway...seconds + Self.leeway).contains(issued) else {
            throw .tokenRefused(.issuedAt)
        }
        guard claims["nonce"]?.text == nonce else { throw .tokenRefused(.nonce) }
        return IdentityClaims(issuer: issuer, subject: subject, claims: claims)
    }

    private struct RawHeader: Decodable {
        let alg: String
        let kid: String?
        let crit: [String]?
    }

    private struct Payload: JWTPayload {
        let claims: [String: ClaimValue]

        init(from decoder: any Decoder) throws {
            claims = try decoder.singleValueContainer().decode([String: ClaimValue].self)
        }

        /// Tokens are never created here, but jwt-kit's protocol requires it.
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "read only"))
        }

        /// The caller validates the claims, since it knows the time.
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
