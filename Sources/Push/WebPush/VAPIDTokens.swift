import Domain
import Foundation
import Ports

/// Authenticates us to push services (VAPID, RFC 8292), with one token per service, which is signed once and used for
/// hours.
final class VAPIDTokens: Sendable {
    private struct Claims: Encodable {
        let aud: String
        let exp: Int64
        let sub: String
    }

    /// Seconds. Services reject tokens valid for more than 24 hours (RFC 8292 §2); half of it leaves room for clock
    /// differences.
    static let lifetime: TimeInterval = 12 * 3_600
    /// Seconds before a token expires when a new one replaces it: more than any request takes.
    static let margin: TimeInterval = 3_600
    /// Number of push services; there are few, but those with a wildcard have many host names.
    private static let capacity = 256

    private let key: VAPIDKey
    private let subject: String
    private let tokens = BoundedCache<String, String>(capacity: capacity)

    /// - Parameter subject: a `mailto:` or `https:` URI that a push service contacts about problems.
    init(key: VAPIDKey, subject: String) {
        self.key = key
        self.subject = subject
    }

    /// The value of `Authorization` (RFC 8292 §3) for a service.
    /// - Parameter origin: of the endpoint; the token is valid for no other.
    func authorization(for origin: String, at now: Date) throws -> String {
        if let known = tokens.value(for: origin, at: now) { return known }
        let expires = now + Self.lifetime
        let claims = Claims(aud: origin, exp: Int64(expires.timeIntervalSince1970), sub: subject)
        let token = try ES256Token.sign(claims, with: key.privateKey)
        let authorization = "vapid t=\(token), k=\(key.publicText)"
        // If two tasks find no token at the same time, both sign one; either is valid. It becomes valid slightly before
        // now, since tasks read the clock at different times, but not long before, since that would make its lifetime
        // too long.
        tokens.store(
            authorization, for: origin, validity: (now - Self.margin)..<(expires - Self.margin),
            unlessRemovedSince: tokens.removals)
        return authorization
    }
}
