package import Crypto
import Foundation

/// Identifies the sender of a token for every request. A token and a session used recently cost two lookups.
package final class Authenticator: Sendable {
    private struct KnownSession: Sendable {
        let userID: User.ID
        let expires: Date
        /// The first instant after the day of last use, stored so that a request compares instants instead of computing
        /// dates.
        let dayOfUseEnds: Date

        init(userID: User.ID, expires: Date, lastUsed: CalendarDay) {
            self.userID = userID
            self.expires = expires
            dayOfUseEnds = lastUsed.adding(days: 1).firstInstant(in: .gmt)
        }
    }

    /// Seconds for which a session's state is cached: after a logout in another process its token still works here for
    /// so long.
    static let sessionMemory: TimeInterval = 5
    private static let cacheCapacity = 16_384

    private let tokens: AccessTokens
    private let sessions: any SessionStore
    private let clock: WallClock
    private let known = BoundedCache<Session.ID, KnownSession>(capacity: cacheCapacity)

    /// - Throws: `SettingsError` for a secret that is too short.
    package convenience init(secret: SymmetricKey, sessions: any SessionStore, clock: WallClock) throws {
        self.init(tokens: try AccessTokens(secret: secret), sessions: sessions, clock: clock)
    }

    init(tokens: AccessTokens, sessions: any SessionStore, clock: WallClock) {
        self.tokens = tokens
        self.sessions = sessions
        self.clock = clock
    }

    /// The sender of the token.
    /// - Parameter touching: whether to record the day of use. False on every route about ballots: even a day would be
    ///   a trace.
    /// - Throws: `AppError.unauthenticated` for an invalid token, or a session that has ended or expired.
    package func authenticate(_ token: String, touching: Bool) async throws -> Principal {
        let now = clock.now
        let principal = try await tokens.verify(token, at: now).principal
        let session = try await session(principal.sessionID, at: now)
        guard let session, session.userID == principal.userID, now < session.expires else {
            throw AppError.sessionEnded
        }
        if touching { try await touch(principal.sessionID, session, at: now) }
        return principal
    }

    /// The sender according to the token alone; its session may have ended since. For casting a ballot, whose commit
    /// checks the session in the store: most members vote after days without a visit, and would cause two lookups.
    /// - Throws: `AppError.unauthenticated` for an invalid token.
    package func identify(_ token: String) async throws -> Principal {
        try await tokens.verify(token, at: clock.now).principal
    }

    /// Checks what `identify` does not.
    /// - Throws: `AppError.unauthenticated` for a session that has ended or expired.
    package func requireSession(of principal: Principal) async throws {
        let now = clock.now
        guard let session = try await session(principal.sessionID, at: now), session.userID == principal.userID,
            now < session.expires
        else { throw AppError.sessionEnded }
    }

    /// A later token for a browser in use, at most once a day. `nil` if none is due: the token is today's, its session
    /// is about to end, or it does not belong to a browser.
    ///
    /// Nothing is stored: the day of the last renewal would reveal something about what a browser was used for, and
    /// when. So a session outlives the token of a browser that is not used; only tokens expire.
    /// - Throws: `AppError.unauthenticated` for an invalid token.
    package func renewal(of token: String) async throws -> BrowserToken? {
        let now = clock.now
        let claims = try await tokens.verify(token, at: now)
        let id = claims.principal.sessionID
        guard claims.isRenewable, let session = try await session(id, at: now) else { return nil }
        let expires = min(SessionLifetimes.browserTokenEnd(at: now), session.expires)
        guard expires.timeIntervalSince(claims.expires) >= Self.renewalStep else { return nil }
        // Copied from the previous token: it is neither the time of this visit nor that of a new login.
        let issued = claims.principal.tokenIssued ?? .distantPast
        let text = try await tokens.issue(for: claims.principal, issued: issued, expires: expires, isRenewable: true)
        return BrowserToken(text: text, lifetime: Int(expires.timeIntervalSince(now)))
    }

    /// Seconds by which a later token must outlive the one it replaces: a day, minus one second, because tokens omit
    /// fractions.
    private static let renewalStep: TimeInterval = 86_399

    /// Removes an ended session from the cache.
    package func forget(_ sessionID: Session.ID) {
        known.remove(sessionID)
        tokens.forget(sessionID)
    }

    /// Removes a user's sessions from the cache, except one that has not ended.
    package func forgetAll(of userID: User.ID, except kept: Session.ID? = nil) {
        known.removeAll { $0.userID == userID }
        tokens.forgetAll(of: userID, except: kept)
    }

    /// Issues a token for a session.
    func issueToken(
        for session: Session, issued: Date, expires: Date, isRenewable: Bool = false
    ) async throws -> String {
        let principal = Principal(userID: session.userID, sessionID: session.id)
        return try await tokens.issue(for: principal, issued: issued, expires: expires, isRenewable: isRenewable)
    }

    private func session(_ id: Session.ID, at now: Date) async throws -> KnownSession? {
        if let session = known.value(for: id, at: now) { return session }
        let removals = known.removals(for: id)
        guard let stored = try await sessions.find(id: id) else { return nil }
        let session = KnownSession(userID: stored.userID, expires: stored.expires, lastUsed: stored.lastUsed)
        remember(session, as: id, at: now, unlessRemovedSince: removals)
        return session
    }

    private func touch(_ id: Session.ID, _ session: KnownSession, at now: Date) async throws {
        guard now >= session.dayOfUseEnds else { return }
        let today = CalendarDay(instant: now, in: .gmt)
        let removals = known.removals(for: id)
        try await sessions.touch(id: id, day: today)
        remember(
            KnownSession(userID: session.userID, expires: session.expires, lastUsed: today), as: id, at: now,
            unlessRemovedSince: removals)
    }

    private func remember(
        _ session: KnownSession, as id: Session.ID, at now: Date, unlessRemovedSince removals: Int
    ) {
        let end = now.addingTimeInterval(Self.sessionMemory)
        known.store(session, for: id, validity: now..<end, unlessRemovedSince: removals)
    }
}

/// The token in a browser's cookie.
package struct BrowserToken: Sendable {
    /// The access token.
    package let text: String
    /// Seconds for which it is valid from now on.
    package let lifetime: Int
}
