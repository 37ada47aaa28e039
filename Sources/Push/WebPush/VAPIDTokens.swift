import Foundation
import Shared

/// Says to push services who sends (VAPID, RFC 8292), with a token for each of them that is signed once and used for
/// hours.
final class VAPIDTokens: Sendable {
    private struct Claims: Encodable {
        let aud: String
        let exp: Int64
        let sub: String
    }

    /// Seconds. A service refuses tokens of more than 24 hours (RFC 8292 §2); half of it leaves room for clocks that
    /// differ.
    static let lifetime: TimeInterval = 12 * 3_600
    /// Seconds before a token's end from which on a new one is used: more than any request takes.
    static let margin: TimeInterval = 3_600
    /// Push services; there are few, but those with a wildcard have many names.
    private static let capacity = 256

    private let key: VAPIDKey
    private let subject: String
    private let tokens = BoundedCache<String, String>(capacity: capacity)

    /// - Parameter subject: whom a push service tells when something is wrong: a `mailto:` or `https:` URI.
    init(key: VAPIDKey, subject: String) {
        self.key = key
        self.subject = subject
    }

    /// The value of `Authorization` (RFC 8292 §3) for a service.
    /// - Parameter origin: of the endpoint; the token counts nowhere else.
    func authorization(for origin: String, at now: Date) throws -> String {
        if let known = tokens.value(for: origin, at: now) { return known }
        let expires = now + Self.lifetime
        let claims = Claims(aud: origin, exp: Int64(expires.timeIntervalSince1970), sub: subject)
        let token = try ES256Token.sign(claims, with: key.privateKey)
        let authorization = "vapid t=\(token), k=\(key.publicText)"
        // Two tasks that find none at the same time both sign one; either is good. It is used from a little before now
        // on, since tasks read the clock at different times, but not long before: that would make it live too long.
        tokens.store(
            authorization, for: origin, validity: (now - Self.margin)..<(expires - Self.margin),
            unlessRemovedSince: tokens.removals(for: origin))
        return authorization
    }
}
