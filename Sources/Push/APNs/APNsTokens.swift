import Foundation
import Synchronization

/// The provider token that every request to Apple carries.
///
/// Apple takes one for 60 minutes and refuses requests when it changes more often than every 20
/// (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
final class APNsTokens: Sendable {
    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private struct Signed {
        let token: String
        let issued: Date

        /// Seconds, backwards too: tasks read the clock at different times, and a clock may be set back.
        func age(at now: Date) -> TimeInterval { abs(now.timeIntervalSince(issued)) }
    }

    /// Seconds a token is used: in the middle between too often and too old.
    static let lifetime: TimeInterval = 40 * 60
    /// Seconds a token stays, whatever is said about it.
    static let minimumAge: TimeInterval = 20 * 60

    private let key: APNsKey
    /// Signing takes some 50 µs and happens under the lock, so that of many tasks one makes the next token.
    private let current = Mutex<Signed?>(nil)

    init(key: APNsKey) {
        self.key = key
    }

    /// The one to use now.
    func token(at now: Date) throws -> String {
        try current.withLock { current in
            if let current, current.age(at: now) < Self.lifetime { return current.token }
            return try sign(at: now, into: &current)
        }
    }

    /// What to try after Apple called a token expired: the next one, unless another task has made it meanwhile.
    /// - Returns: `nil` if it is too young to be replaced.
    func replacement(of rejected: String, at now: Date) throws -> String? {
        try current.withLock { current in
            if let current, current.token != rejected { return current.token }
            if let current, current.age(at: now) < Self.minimumAge { return nil }
            return try sign(at: now, into: &current)
        }
    }

    private func sign(at now: Date, into current: inout Signed?) throws -> String {
        let claims = Claims(iss: key.teamID, iat: Int64(now.timeIntervalSince1970))
        let token = try ES256Token.sign(claims, keyID: key.id, with: key.signing)
        current = Signed(token: token, issued: now)
        return token
    }
}
