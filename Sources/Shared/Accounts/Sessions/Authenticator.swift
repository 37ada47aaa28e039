public import Crypto
import Foundation

/// Tells who sends a token. On the way of every request: a token and a session seen lately cost two look-ups.
public final class Authenticator: Sendable {
    private struct KnownSession: Sendable {
        let userID: User.ID
        let expires: Date
        /// The first instant of the day after the last use, kept so that a request compares instants and works out no
        /// date.
        let dayOfUseEnds: Date

        init(userID: User.ID, expires: Date, lastUsed: CalendarDay) {
            self.userID = userID
            self.expires = expires
            dayOfUseEnds = lastUsed.adding(days: 1).firstInstant(in: .gmt)
        }
    }

    /// Seconds a session's state is believed: how long after a log-out elsewhere its token still works here.
    static let sessionMemory: TimeInterval = 5
    private static let cacheCapacity = 16_384

    private let tokens: AccessTokens
    private let sessions: any SessionStore
    private let clock: WallClock
    private let known = BoundedCache<Session.ID, KnownSession>(capacity: cacheCapacity)

    /// - Throws: `SettingsError` for a secret that is too short.
    public convenience init(secret: SymmetricKey, sessions: any SessionStore, clock: WallClock) throws {
        self.init(tokens: try AccessTokens(secret: secret), sessions: sessions, clock: clock)
    }

    init(tokens: AccessTokens, sessions: any SessionStore, clock: WallClock) {
        self.tokens = tokens
        self.sessions = sessions
        self.clock = clock
    }

    /// Who sends the token.
    /// - Parameter touching: whether to note the day of use. False on every route about ballots: even a day would
    ///   be a trace.
    /// - Throws: `AppError.unauthenticated` for a token that does not count, or a session that was ended or expired.
    public func authenticate(_ token: String, touching: Bool) async throws -> Principal {
        let now = clock.now
        let principal = try await tokens.verify(token, at: now).principal
        let session = try await session(principal.sessionID, at: now)
        guard let session, session.userID == principal.userID, now < session.expires else {
            throw AppError.sessionEnded
        }
        if touching { try await touch(principal.sessionID, session, at: now) }
        return principal
    }

    /// Who sends the token, by the token alone; its session may have been ended. For casting a ballot, whose commit
    /// checks the session in the store: most people vote when they have not been seen for days, and would be looked up
    /// twice.
    /// - Throws: `AppError.unauthenticated` for a token that does not count.
    public func identify(_ token: String) async throws -> Principal {
        try await tokens.verify(token, at: clock.now).principal
    }

    /// Checks what `identify` leaves open.
    /// - Throws: `AppError.unauthenticated` for a session that was ended or expired.
    public func requireSession(of principal: Principal) async throws {
        let now = clock.now
        guard let session = try await session(principal.sessionID, at: now), session.userID == principal.userID,
            now < session.expires
        else { throw AppError.sessionEnded }
    }

    /// A later token for a browser that is used, once a day at most; `nil` if there is none to give: the token is today's,
    /// its session is about to end, or it is none that a browser keeps.
    ///
    /// Nothing is stored: what a browser was used for, and when, would show in the day of its last renewal. So a session
    /// lives longer than the token of a browser that is not used, and only tokens run out.
    /// - Throws: `AppError.unauthenticated` for a token that does not count.
    public func renewal(of token: String) async throws -> BrowserToken? {
        let now = clock.now
        let claims = try await tokens.verify(token, at: now)
        let id = claims.principal.sessionID
        guard claims.isRenewable, let session = try await session(id, at: now) else { return nil }
        let expires = min(SessionLifetimes.browserTokenEnd(at: now), session.expires)
        guard expires.timeIntervalSince(claims.expires) >= Self.renewalStep else { return nil }
        // As the token before: neither the time of this visit nor that of a fresh log-in.
        let issued = claims.principal.tokenIssued ?? .distantPast
        let text = try await tokens.issue(for: claims.principal, issued: issued, expires: expires, isRenewable: true)
        return BrowserToken(text: text, lifetime: Int(expires.timeIntervalSince(now)))
    }

    /// Seconds by which a later token must outlive the one it replaces: a day, less what the fractions of seconds cost
    /// that a token leaves out.
    private static let renewalStep: TimeInterval = 86_399

    /// Forgets a session that was ended, at once.
    public func forget(_ sessionID: Session.ID) {
        known.remove(sessionID)
        tokens.forget(sessionID)
    }

    /// Forgets a user's sessions, but for one that was not ended.
    public func forgetAll(of userID: User.ID, except kept: Session.ID? = nil) {
        known.removeAll { $0.userID == userID }
        tokens.forgetAll(of: userID, except: kept)
    }

    /// A token for a session.
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

/// What a browser keeps in its cookie.
public struct BrowserToken: Sendable {
    /// The access token.
    public let text: String
    /// Seconds it counts from now on.
    public let lifetime: Int
}
