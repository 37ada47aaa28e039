public import Crypto
public import Foundation
import JWTKit

/// Makes and checks access tokens: JWTs (RFC 7519) signed with HMAC-SHA-256.
///
/// Algorithm, key and audience are fixed here; whatever a token's header claims beyond that is refused.
public final class AccessTokens: Sendable {
    /// What a good token says.
    public struct Claims: Hashable, Sendable {
        /// Who and in which session.
        public let principal: Principal
        /// The first instant at which it does not count any more.
        public let expires: Date
        /// Whether a browser keeps it, which gets a later one while it is used.
        public let isRenewable: Bool
    }

    /// In `iss` and `aud`.
    static let issuer = "happiness-metric"
    static let algorithm = "HS256"
    /// Bytes. Our own have about 400; anything much longer is not worth hashing.
    static let maximumLength = 2_048
    /// Entries of about 150 bytes.
    private static let cacheCapacity = 16_384

    private let keyID: String
    /// jwt-kit's collection takes its key through an actor, which this initialiser cannot wait for. The task does it
    /// once, before the first token is signed or verified; it only holds the key and ends by itself.
    private let keys: Task<JWTKeyCollection, Never>
    private let verified = BoundedCache<SHA256Digest, Claims>(capacity: cacheCapacity)

    /// - Throws: `SettingsError` for a secret of fewer than 32 bytes: jwt-kit would take it.
    public init(secret: SymmetricKey) throws {
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

    /// A token for a session, counting from `issued` to `expires`, both in whole seconds.
    /// - Parameter isRenewable: whether a later one may be given for it (`Authenticator.renewal`).
    package func issue(
        for principal: Principal, issued: Date, expires: Date, isRenewable: Bool = false
    ) async throws -> String {
        let payload = Payload(
            sub: principal.userID.description, sid: principal.sessionID.description,
            iat: Int64(issued.timeIntervalSince1970), exp: Int64(expires.timeIntervalSince1970), iss: Self.issuer,
            aud: Self.issuer, renewable: isRenewable ? true : nil)
        return try await keys.value.sign(payload, kid: JWKIdentifier(string: keyID))
    }

    /// What the token says, if it is ours, for us and not expired. The session may have been ended since.
    ///
    /// A token that was good before costs a hash and a look-up; its expiry is checked every time.
    /// - Throws: `AppError.unauthenticated`, `token-expired` or `invalid-token`.
    public func verify(_ token: String, at now: Date) async throws -> Claims {
        guard token.utf8.count <= Self.maximumLength else { throw Self.invalid }
        let digest = Self.digest(of: token)
        if let claims = verified.value(for: digest, at: now) { return claims }
        let removals = verified.removals(for: digest)
        let claims = try await verifySignature(of: token)
        guard now < claims.expires else {
            throw AppError(.unauthenticated, "Your log-in has expired. Please log in again.", reason: "token-expired")
        }
        verified.store(
            claims, for: digest, validity: .distantPast..<claims.expires, unlessRemovedSince: removals)
        return claims
    }

    /// Forgets the tokens of a session that was ended.
    func forget(_ sessionID: Session.ID) {
        verified.removeAll { $0.principal.sessionID == sessionID }
    }

    /// Forgets the tokens of a user, all sessions of whom but one were ended.
    func forgetAll(of userID: User.ID, except kept: Session.ID?) {
        verified.removeAll { $0.principal.userID == userID && $0.principal.sessionID != kept }
    }

    private func verifySignature(of token: String) async throws -> Claims {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // jwt-kit takes an unknown `kid` for the default key, ignores `alg` for a key given as bytes, and reads
        // sloppy base64, so the header and the spelling are checked here first.
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
            // `crit` names extensions that must be understood (RFC 7515 §4.1.11); we know none.
            return header.alg == Self.algorithm && header.kid == keyID && header.crit == nil
        } catch {
            // Not JSON, or not of these types: not ours, for whatever reason.
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
        .unauthenticated, "This log-in is not valid. Please log in again.", reason: "invalid-token")

    private struct Header: Decodable {
        let alg: String
        let kid: String
        let crit: [String]?
    }

    /// Plain types where jwt-kit has claims of its own: its audience traps on an empty list.
    private struct Payload: JWTPayload {
        let sub: String
        let sid: String
        let iat: Int64
        let exp: Int64
        let iss: String
        let aud: String
        /// Missing in tokens that are not.
        let renewable: Bool?

        /// Claims are checked by the caller, which knows the time.
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
