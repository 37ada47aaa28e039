import Foundation
import Synchronization

/// The provider token that every request to Apple contains.
///
/// Apple accepts a token for 60 minutes and rejects requests if it changes more often than every 20
/// (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns). It does
/// not say which tokens are counted together; some who send from several machines report rejections. So the time of issue
/// is derived from the clock: all processes with the same key use the same time, including one that restarts
/// repeatedly.
final class APNsTokens: Sendable {
    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private struct Signed {
        let token: String
        let issued: Date
        /// The period in which it is used.
        let validity: Range<Date>
    }

    private struct State {
        var current: Signed?
        /// Apple called a token expired that was not: Apple's clock is ahead of ours, so tokens must be as young as
        /// possible.
        var isClockLate = false
    }

    /// Seconds for which a token is used.
    static let lifetime: TimeInterval = 40 * 60
    /// Seconds between the time of issue and the first use, in case our clock is ahead of Apple's. At the end of its
    /// use a token has 15 minutes left, in case our clock is behind.
    private static let lead: TimeInterval = 5 * 60
    /// Minimum seconds between two tokens, even if one is rejected.
    static let minimumAge: TimeInterval = 20 * 60
    /// Seconds before its period in which a token is already used: tasks read the clock at different times.
    private static let slack: TimeInterval = 60

    private let key: APNsKey
    /// Signing takes about 50 µs and happens under the lock, so that only one of many tasks creates the next token.
    private let state = Mutex(State())

    init(key: APNsKey) {
        self.key = key
    }

    /// The current token.
    func token(at now: Date) throws -> String {
        try state.withLock { state in
            if let current = state.current, current.validity.contains(now) { return current.token }
            return try sign(at: now, into: &state)
        }
    }

    /// The token to try after Apple called one expired: the next one, unless another task has created it meanwhile.
    /// - Returns: `nil` if the token is too young to be replaced.
    func replacement(of rejected: String, at now: Date) throws -> String? {
        try state.withLock { state in
            if let current = state.current {
                if current.token != rejected { return current.token }
                if abs(now.timeIntervalSince(current.issued)) < Self.minimumAge { return nil }
            }
            state.isClockLate = true
            return try sign(at: now, into: &state)
        }
    }

    private func sign(at now: Date, into state: inout State) throws -> String {
        let begin = state.isClockLate ? now : Self.periodBegin(at: now)
        let issued = state.isClockLate ? now : begin - Self.lead
        let claims = Claims(iss: key.teamID, iat: Int64(issued.timeIntervalSince1970))
        let token = try ES256Token.sign(claims, keyID: key.id, with: key.signing)
        state.current = Signed(token: token, issued: issued, validity: (begin - Self.slack)..<(begin + Self.lifetime))
        return token
    }

    /// Start of the period of the current token.
    private static func periodBegin(at now: Date) -> Date {
        let periods = ((now.timeIntervalSince1970 - lead) / lifetime).rounded(.down)
        return Date(timeIntervalSince1970: periods * lifetime + lead)
    }
}
