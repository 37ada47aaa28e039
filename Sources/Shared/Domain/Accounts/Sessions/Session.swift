package import Foundation

/// A login on one device: tokens refer to it, and logout ends it.
package struct Session: Hashable, Sendable {
    /// Identifies a session; the `sid` of its tokens.
    package typealias ID = Identifier<Session>

    /// Stays the same when tokens are refreshed.
    package let id: ID
    /// The user who logged in.
    package let userID: User.ID
    /// The device's own description at login, truncated to `maximumDeviceLength`.
    package let device: String
    /// No token of the session is valid from here on, whatever its own expiry. It is the beginning of a day (UTC): a
    /// finer time would reveal when the user logged in, and a user who logs in is likely to vote.
    package let expires: Date
    /// The day of last use, never finer, for the same reason.
    package var lastUsed: CalendarDay
    /// 32 random bytes from which its refresh tokens are derived.
    package let seed: [UInt8]
    /// Number of refresh token rotations. Only the token of this generation is valid.
    package var generation: Int
    /// Until when the token of the previous generation gets the same response again. Removed once that is over, because
    /// it is the time of a visit.
    package var repeatUntil: Date?

    /// Unicode scalars, because a single character can have any length.
    package static let maximumDeviceLength = 120
    /// Maximum number of a user's concurrent sessions: more than anyone has devices and browsers, but few enough that a
    /// script with endless logins fills nothing but its own list.
    package static let maximumPerUser = 50

    /// Creates a session as a store keeps it.
    /// - Parameter expires: rounded up to the beginning of a day.
    package init(
        id: ID = .random(), userID: User.ID, device: String, expires: Date, lastUsed: CalendarDay,
        seed: [UInt8] = SecureBytes.random(count: 32), generation: Int = 0, repeatUntil: Date? = nil
    ) {
        self.id = id
        self.userID = userID
        self.device = String(String.UnicodeScalarView(device.unicodeScalars.prefix(Self.maximumDeviceLength)))
        self.expires = Self.beginningOfDay(notBefore: expires)
        self.lastUsed = lastUsed
        self.seed = seed
        self.generation = generation
        self.repeatUntil = repeatUntil
    }

    /// An instant, rounded up to the beginning of a day (UTC).
    package static func beginningOfDay(notBefore instant: Date) -> Date {
        let day: TimeInterval = 86_400
        return Date(timeIntervalSince1970: (instant.timeIntervalSince1970 / day).rounded(.up) * day)
    }
}
