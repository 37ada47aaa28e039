package import Foundation

/// How a session is continued.
package enum SessionKind: Sendable {
    /// Short access tokens, replaced by means of a refresh token.
    case rotating
    /// One token for the whole session, for clients that cannot refresh.
    case classic
    /// One token in a browser's cookie that scripts cannot read, replaced by a later one while it is in use.
    case browser
}

/// Validity of tokens and sessions. A session ends at the beginning of the following day (`Session.expires`).
package struct SessionLifetimes: Sendable {
    /// Seconds of validity of a refreshable access token. Limits the value of a stolen one.
    package let accessToken: TimeInterval = 15 * 60
    /// Seconds until a session without a refresh expires: longer than a holiday.
    package let rotatingSession: TimeInterval = 60 * 86_400
    /// Seconds of validity of a classic token and its session.
    package let classicSession: TimeInterval
    /// Seconds until a browser's session expires, however much it is used: users log in again about once a year. No
    /// browser keeps a cookie longer (RFC 6265bis §5.5).
    package let browserSession: TimeInterval = 400 * 86_400

    /// Days until an unused browser is logged out.
    static let browserDays = 60

    /// Until when a browser used at an instant stays logged in: the end of a day, so that neither its cookie nor
    /// anything else reveals the time of use.
    package static func browserTokenEnd(at now: Date) -> Date {
        CalendarDay(instant: now, in: .gmt).adding(days: browserDays + 1).firstInstant(in: .gmt)
    }

    /// Seconds within which a used refresh token gets the same response again: a response can be lost, and clients
    /// retry.
    package static let repeatWindow: TimeInterval = 30

    /// Only that of the first clients' sessions can be chosen.
    package init(classicSession: TimeInterval = 30 * 86_400) {
        self.classicSession = classicSession
    }
}
