public import Foundation

/// A log-in on one device: what a token stands for, and what logging out ends.
public struct Session: Hashable, Sendable {
    /// A session's identity, the `sid` of its tokens.
    public typealias ID = Identifier<Session>

    /// The session's identity.
    public let id: ID
    /// Who logged in.
    public let userID: User.ID
    /// What the device called itself at log-in, cut to `maximumDeviceLength`.
    public let device: String
    /// No token of the session is valid from here on, whatever its own expiry says. The beginning of a day (UTC): a finer
    /// time would say when the user logged in, and who logs in is likely to vote.
    public let expires: Date
    /// The day of last use, never finer, for the same reason.
    public var lastUsed: CalendarDay
    /// 32 random bytes its refresh tokens are derived from.
    public let seed: [UInt8]
    /// How often the refresh token was rotated. Only the token of this generation is valid.
    public var generation: Int
    /// Until when the token of the generation before gets its answer once more; removed once that is over, because it is
    /// the time of a visit.
    public var repeatUntil: Date?

    /// Unicode scalars: a single character can be as long as its sender likes.
    public static let maximumDeviceLength = 120
    /// Sessions a user has at once: more than anybody has devices and browsers, and few enough that a script which logs in
    /// again and again fills nothing but its own list.
    public static let maximumPerUser = 50

    /// A session as a store keeps it.
    /// - Parameter expires: rounded up to the beginning of a day.
    public init(
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
    static func beginningOfDay(notBefore instant: Date) -> Date {
        let day: TimeInterval = 86_400
        return Date(timeIntervalSince1970: (instant.timeIntervalSince1970 / day).rounded(.up) * day)
    }
}
