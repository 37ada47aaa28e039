public import Foundation

/// How a session lives on.
public enum SessionLifetime: Sendable {
    /// Short access tokens, renewed with a refresh token.
    case rotating
    /// One token for the session's whole life, for clients that cannot refresh.
    case classic
    /// One token for the session's whole life, kept by a browser in a cookie that no script can read.
    case browser
}

/// How long tokens and sessions count.
public struct SessionLifetimes: Sendable {
    /// Seconds of an access token that can be refreshed. What a stolen one is worth.
    public let accessToken: TimeInterval
    /// Seconds a session lives without a refresh: longer than holidays.
    public let rotatingSession: TimeInterval
    /// Seconds of a classic token and its session.
    public let classicSession: TimeInterval
    /// Seconds of a browser's session.
    public let browserSession: TimeInterval

    /// Seconds within which a refresh token counts a second time and gets the same answer: an answer can be lost on
    /// its way, and a client repeats.
    static let repeatWindow: TimeInterval = 30

    /// 15 minutes, 60 days, 30 days, 60 days.
    public init(
        accessToken: TimeInterval = 15 * 60, rotatingSession: TimeInterval = 60 * 86_400,
        classicSession: TimeInterval = 30 * 86_400, browserSession: TimeInterval = 60 * 86_400
    ) {
        self.accessToken = accessToken
        self.rotatingSession = rotatingSession
        self.classicSession = classicSession
        self.browserSession = browserSession
    }
}
