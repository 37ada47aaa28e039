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
    /// No token of the session counts from here on, whatever its own expiry says.
    public var expires: Date
    /// The day of last use, never finer: times would say who was at their phone when a ballot was cast.
    public var lastUsed: CalendarDay
    /// 32 random bytes its refresh tokens are derived from.
    public let seed: [UInt8]
    /// How often the refresh token was rotated. The token of this generation is the one that counts.
    public var generation: Int
    /// When it was rotated last.
    public var rotated: Date

    /// Unicode scalars: a single character can be as long as its sender likes.
    public static let maximumDeviceLength = 120
    /// Sessions a user has at once: more than anybody has devices and browsers, and few enough that a script which logs in
    /// again and again fills nothing but its own list.
    public static let maximumPerUser = 50

    /// A session as a store keeps it.
    public init(
        id: ID = .random(), userID: User.ID, device: String, expires: Date, lastUsed: CalendarDay,
        seed: [UInt8] = SecureBytes.random(count: 32), generation: Int = 0, rotated: Date
    ) {
        self.id = id
        self.userID = userID
        self.device = String(String.UnicodeScalarView(device.unicodeScalars.prefix(Self.maximumDeviceLength)))
        self.expires = expires
        self.lastUsed = lastUsed
        self.seed = seed
        self.generation = generation
        self.rotated = rotated
    }
}
