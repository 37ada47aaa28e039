import Foundation
import Synchronization

/// The provider token that every request to Apple carries.
///
/// Apple takes one for 60 minutes and refuses requests when it changes more often than every 20
/// (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns). It does
/// not say whose changes count together; some who send from several machines report refusals. So the time that a token
/// is issued at follows from the clock: all processes with one key claim the same, also one that is started again and
/// again.
final class APNsTokens: Sendable {
    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private struct Signed {
        let token: String
        let issued: Date
        /// When it is used.
        let validity: Range<Date>
    }

    private struct State {
        var current: Signed?
        /// Apple has called a token expired that was not: by its clock this one is late, and a token must be as young as
        /// can be.
        var isClockLate = false
    }

    /// Seconds a token is used.
    static let lifetime: TimeInterval = 40 * 60
    /// Seconds a token has when its use begins, for a clock that is ahead of Apple's. At its end it has 15 minutes left,
    /// for one that is behind.
    private static let lead: TimeInterval = 5 * 60
    /// Seconds a token stays, whatever is said about it.
    static let minimumAge: TimeInterval = 20 * 60
    /// Seconds before its time in which a token is used too: tasks read the clock at different times.
    private static let slack: TimeInterval = 60

    private let key: APNsKey
    /// Signing takes some 50 µs and happens under the lock, so that of many tasks one makes the next token.
    private let state = Mutex(State())

    init(key: APNsKey) {
        self.key = key
    }

    /// The one to use now.
    func token(at now: Date) throws -> String {
        try state.withLock { state in
            if let current = state.current, current.validity.contains(now) { return current.token }
            return try sign(at: now, into: &state)
        }
    }

    /// What to try after Apple called a token expired: the next one, unless another task has made it meanwhile.
    /// - Returns: `nil` if it is too young to be replaced.
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
        state.current = Signed(
            token: token, issued: issued, validity: (begin - Self.slack)..<(begin + Self.lifetime))
        return token
    }

    /// When the use of the token began that everybody uses now.
    private static func periodBegin(at now: Date) -> Date {
        let periods = ((now.timeIntervalSince1970 - lead) / lifetime).rounded(.down)
        return Date(timeIntervalSince1970: periods * lifetime + lead)
    }
}
