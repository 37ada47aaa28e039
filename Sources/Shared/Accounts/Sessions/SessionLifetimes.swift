public import Foundation

/// How a session lives on.
public enum SessionKind: Sendable {
    /// Short access tokens, renewed with a refresh token.
    case rotating
    /// One token for the session's whole life, for clients that cannot refresh.
    case classic
    /// One token, kept by a browser in a cookie that no script can read, and replaced by a later one while it is used.
    case browser
}

/// How long tokens and sessions are valid. A session ends at the beginning of the day after (`Session.expires`).
public struct SessionLifetimes: Sendable {
    /// Seconds of an access token that can be refreshed. What a stolen one is worth.
    public let accessToken: TimeInterval
    /// Seconds a session lives without a refresh: longer than holidays.
    public let rotatingSession: TimeInterval
    /// Seconds of a classic token and its session.
    public let classicSession: TimeInterval
    /// Seconds of a browser's session, however much it is used: once a year or so one logs in again. No browser keeps a
    /// cookie for longer (RFC 6265bis §5.5).
    public let browserSession: TimeInterval

    /// Days a browser stays logged in that is not used.
    static let browserDays = 60

    /// Until when a browser stays logged in that is used at an instant: the end of a day, so that neither its cookie nor
    /// anything else says at what time that was.
    static func browserTokenEnd(at now: Date) -> Date {
        CalendarDay(instant: now, in: .gmt).adding(days: browserDays + 1).firstInstant(in: .gmt)
    }

    /// Seconds within which a refresh token counts a second time and gets the same answer: an answer can be lost on
    /// its way, and a client repeats.
    static let repeatWindow: TimeInterval = 30

    /// 15 minutes, 60 days, 30 days, 400 days.
    public init(
        accessToken: TimeInterval = 15 * 60, rotatingSession: TimeInterval = 60 * 86_400,
        classicSession: TimeInterval = 30 * 86_400, browserSession: TimeInterval = 400 * 86_400
    ) {
        self.accessToken = accessToken
        self.rotatingSession = rotatingSession
        self.classicSession = classicSession
        self.browserSession = browserSession
    }
}
