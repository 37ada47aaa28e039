import Foundation
import JWTKit

/// Checks ID tokens as OpenID Connect Core 1.0 §3.1.3.7 demands.
struct IDTokenVerifier: Sendable {
    let issuer: String
    let clientID: String

    /// Bytes. One with hundreds of groups has some ten thousand.
    private static let maximumLength = 64 * 1024
    /// Seconds two machines' clocks may differ.
    static let leeway: TimeInterval = 60
    /// Seconds. We fetch a token the moment it is made; an old one was meant for somebody before.
    static let maximumAge: TimeInterval = 600

    /// What a token's header asks for.
    struct Header: Sendable {
        let algorithm: SigningAlgorithm
        let keyID: String?
    }

    /// Reads the header, and refuses every algorithm but ours before a key is looked at.
    /// - Throws: `OpenIDError.tokenRefused`.
    func header(of token: String) throws -> Header {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // jwt-kit reads sloppy base64.
        guard token.utf8.count <= Self.maximumLength, parts.count == 3, let header = Base64URL.decode(parts[0]),
            Base64URL.decode(parts[1]) != nil, Base64URL.decode(parts[2]) != nil
        else { throw OpenIDError.tokenRefused(.malformed) }
        let fields: RawHeader
        do {
            fields = try JSONDecoder().decode(RawHeader.self, from: header)
        } catch {
            throw OpenIDError.tokenRefused(.malformed)
        }
        // `crit` names extensions that must be understood (RFC 7515 §4.1.11); we know none.
        guard fields.crit == nil, let algorithm = SigningAlgorithm(rawValue: fields.alg) else {
            throw OpenIDError.tokenRefused(.algorithm)
        }
        return Header(algorithm: algorithm, keyID: fields.kid)
    }

    /// Checks signature and claims.
    /// - Throws: `OpenIDError.tokenRefused`.
    func claims(of token: String, key: VerificationKey, nonce: String, at now: Date) async throws -> IdentityClaims {
        let payload: Payload
        do {
            payload = try await key.collection().verify(token, as: Payload.self)
        } catch {
            // A key that is none, a signature of another length, claims that are no object: not the provider's token.
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
        // Made for several: then it must say that we are the one it was given to.
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

        /// Tokens are never made here, but jwt-kit's protocol wants it.
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "read only"))
        }

        /// Claims are checked by the caller, which knows the time.
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
