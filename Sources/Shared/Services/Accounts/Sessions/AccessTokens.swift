package import Crypto
package import Domain
package import Foundation
import JWTKit

/// Issues and verifies access tokens: JWTs (RFC 7519) signed with HMAC-SHA-256.
///
/// Algorithm, key and audience are fixed here; a token whose header names anything else is rejected.
package final class AccessTokens: Sendable {
    /// The content of a valid token.
    package struct Claims: Hashable, Sendable {
        /// The user and the session.
        package let principal: Principal
        /// The first instant at which it is no longer valid.
        package let expires: Date
        /// Whether it belongs to a browser, which gets a later one while it is in use.
        package let isRenewable: Bool
    }

    /// The value of `iss` and `aud`.
    static let issuer = "happiness-metric"
    static let algorithm = "HS256"
    /// Bytes. Our own have about 400; much longer ones are not worth hashing.
    static let maximumLength = 2_048
    /// Entries of about 150 bytes.
    private static let cacheCapacity = 16_384

    private let keyID: String
    /// jwt-kit's collection takes its key through an actor, which this initialiser cannot await. The task does so once,
    /// before the first token is signed or verified; it only holds the key and ends by itself.
    private let keys: Task<JWTKeyCollection, Never>
    private let verified = BoundedCache<SHA256Digest, Claims>(capacity: cacheCapacity)

    /// - Throws: `SettingsError` for a secret of fewer than 32 bytes, which jwt-kit would accept.
    package init(secret: SymmetricKey) throws {
        guard secret.bitCount >= 8 * Secrets.minimumLength else {
            throw SettingsError(key: "JWT_SECRET", expectation: "at least \(Secrets.minimumLength) bytes")
        }
        let keyID = DerivedKey.keyID.make(from: secret).withUnsafeBytes { $0.prefix(4).hexadecimal }
        self.keyID = keyID
        keys = Task {
            await JWTKeyCollection().add(
                hmac: HMACKey(key: secret), digestAlgorithm: .sha256, kid: JWKIdentifier(string: keyID))
        }
    }

    /// A token for a session, valid from `issued` to `expires`, both in whole seconds.
    /// - Parameter isRenewable: whether a later one may be issued for it (`Authenticator.renewal`).
    package func issue(
        for principal: Principal, issued: Date, expires: Date, isRenewable: Bool = false
    ) async throws -> String {
        let payload = Payload(
            sub: principal.userID.description, sid: principal.sessionID.description,
            iat: Int64(issued.timeIntervalSince1970), exp: Int64(expires.timeIntervalSince1970), iss: Self.issuer,
            aud: Self.issuer, renewable: isRenewable ? true : nil)
        return try await keys.value.sign(payload, kid: JWKIdentifier(string: keyID))
    }

    /// The content of the token, if we issued it for this audience and it has not expired. The session may have ended
    /// since.
    ///
    /// A token that was verified before costs a hash and a lookup; its expiry is always checked.
    /// - Throws: `AppError.unauthenticated`, `token-expired` or `invalid-token`.
    package func verify(_ token: String, at now: Date) async throws -> Claims {
        guard token.utf8.count <= Self.maximumLength else { throw Self.invalid }
        let digest = Self.digest(of: token)
        if let claims = verified.value(for: digest, at: now) { return claims }
        let removals = verified.removals
        let claims = try await verifySignature(of: token)
        guard now < claims.expires else {
            throw AppError(.unauthenticated, "Your log-in has expired. Please log in again.", reason: .tokenExpired)
        }
        verified.store(
            claims, for: digest, validity: .distantPast..<claims.expires, unlessRemovedSince: removals)
        return claims
    }

    /// Removes the tokens of an ended session from the cache.
    func forget(_ sessionID: Session.ID) {
        verified.removeAll { $0.principal.sessionID == sessionID }
    }

    /// Removes the tokens of a user from the cache, except those of one session.
    func forgetAll(of userID: User.ID, except kept: Session.ID?) {
        verified.removeAll { $0.principal.userID == userID && $0.principal.sessionID != kept }
    }

    private func verifySignature(of token: String) async throws -> Claims {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // jwt-kit uses the default key for an unknown `kid`, ignores `alg` for a key given as bytes, and accepts
        // non-canonical base64, so header and encoding are checked here first.
        guard parts.count == 3, let header = [UInt8](base64URL: parts[0]), [UInt8](base64URL: parts[1]) != nil,
            [UInt8](base64URL: parts[2]) != nil, isOwn(header)
        else { throw Self.invalid }
        let payload: Payload
        do {
            payload = try await keys.value.verify(token, as: Payload.self)
        } catch is JWTError {
            throw Self.invalid
        }
        guard payload.iss == Self.issuer, payload.aud == Self.issuer, let userID = User.ID(payload.sub),
            let sessionID = Session.ID(payload.sid)
        else { throw Self.invalid }
        return Claims(
            principal: Principal(
                userID: userID, sessionID: sessionID,
                tokenIssued: Date(timeIntervalSince1970: TimeInterval(payload.iat))),
            expires: Date(timeIntervalSince1970: TimeInterval(payload.exp)), isRenewable: payload.renewable == true)
    }

    private func isOwn(_ header: [UInt8]) -> Bool {
        do {
            let header = try JSONDecoder().decode(Header.self, from: Data(header))
            // `crit` names extensions that must be understood (RFC 7515 §4.1.11); we support none.
            return header.alg == Self.algorithm && header.kid == keyID && header.crit == nil
        } catch {
            // Invalid JSON, or other types: in any case not ours.
            return false
        }
    }

    private static func digest(of token: String) -> SHA256Digest {
        var token = token
        return token.withUTF8 { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
    }

    private static let invalid = AppError(
        .unauthenticated, "This log-in isn’t valid. Please log in again.", reason: .invalidToken)

    private struct Header: Decodable {
        let alg: String
        let kid: String
        let crit: [String]?
    }

    /// Uses plain types instead of jwt-kit's claims: its audience traps on an empty list.
    private struct Payload: JWTPayload {
        let sub: String
        let sid: String
        let iat: Int64
        let exp: Int64
        let iss: String
        let aud: String
        /// Missing in tokens that are not renewable.
        let renewable: Bool?

        /// The caller checks the claims, because it knows the time.
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
