package import Crypto
package import Domain
import Foundation
package import Ports
package import Storage

/// Identifies the sender of a token for every request. A token and a session that were used before cost two lookups,
/// until something is revoked (`RevocationFeed`). Sessions that are not known yet are read together with the
/// memberships of their users, for all requests that arrive during a read.
package final class Authenticator: Sendable {
    private struct KnownSession: Sendable {
        let userID: User.ID
        let expires: Date
        /// The first instant after the day of last use, stored so that a request compares instants instead of computing
        /// dates.
        var dayOfUseEnds: Date
        /// When it may be used without reading it again.
        let validity: Range<Date>

        init(_ session: Session, readAt now: Date) {
            userID = session.userID
            expires = session.expires
            dayOfUseEnds = Self.end(of: session.lastUsed)
            validity = now..<now.addingTimeInterval(RevocationFeed.memory)
        }

        static func end(of day: CalendarDay) -> Date {
            day.adding(days: 1).firstInstant(in: .gmt)
        }
    }

    /// A session that is to be read, and the user that its token names.
    private struct Asked: Hashable, Sendable {
        let id: Session.ID
        let userID: User.ID
    }

    /// A session that was used on a day.
    private struct Use: Hashable, Sendable {
        let id: Session.ID
        let day: CalendarDay
    }

    private static let cacheCapacity = 16_384

    private let tokens: AccessTokens
    private let clock: WallClock
    private let revocations: RevocationFeed
    private let known: BoundedCache<Session.ID, KnownSession>
    private let reads: SharedCalls<Asked, KnownSession>
    private let uses: SharedCalls<Use, Never>

    /// - Parameter memberships: gets the memberships that are read with a session, and says what was revoked.
    /// - Throws: `SettingsError` for a secret that is too short.
    package init(
        secret: SymmetricKey, store: any Store, memberships: MembershipCache, clock: WallClock
    ) throws {
        let known = BoundedCache<Session.ID, KnownSession>(capacity: Self.cacheCapacity)
        tokens = try AccessTokens(secret: secret)
        self.clock = clock
        self.known = known
        revocations = memberships.revocations
        reads = SharedCalls { asked in
            let now = clock.now
            let (removals, membershipRemovals) = (known.removals, memberships.removals)
            let found = try await store.read {
                try $0.sessions(Array(Set(asked.map(\.id))), membershipsOf: Array(Set(asked.map(\.userID))))
            }
            memberships.remember(found.memberships, readAt: now, unlessRemovedSince: membershipRemovals)
            return found.sessions.reduce(into: [:]) { values, session in
                let value = KnownSession(session, readAt: now)
                known.store(value, for: session.id, validity: value.validity, unlessRemovedSince: removals)
                values[Asked(id: session.id, userID: session.userID)] = value
            }
        }
        uses = SharedCalls { uses in
            for (day, uses) in Dictionary(grouping: uses, by: \.day) {
                try await store.write { try $0.touch(uses.map(\.id), day: day) }
            }
            return [:]
        }
        revocations.add { slots in
            known.removeAll { slots?.contains(RevocationSlot(of: $0.userID)) != false }
        }
    }

    /// The sender of the token.
    /// - Parameter touching: whether to record the day of use. False on every route about ballots: even a day would be
    ///   a trace.
    /// - Throws: `AppError.unauthenticated` for an invalid token, or a session that has ended or expired.
    package func authenticate(_ token: String, touching: Bool) async throws -> Principal {
        let now = clock.now
        let principal = try await tokens.verify(token, at: now).principal
        // Before the session is read: it may end between that and the note of its use.
        let removals = known.removals
        let session = try await session(of: principal, at: now)
        if touching { try await touch(principal.sessionID, session, at: now, unlessRemovedSince: removals) }
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
        _ = try await session(of: principal, at: clock.now)
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
        guard claims.isRenewable, let session = try await find(claims.principal, at: now) else { return nil }
        let expires = min(SessionLifetimes.browserTokenEnd(at: now), session.expires)
        guard expires.timeIntervalSince(claims.expires) >= Self.renewalStep else { return nil }
        // Copied from the previous token: it is neither the time of this visit nor that of a new login.
        let issued = claims.principal.tokenIssued ?? .distantPast
        let text = try await tokens.issue(for: claims.principal, issued: issued, expires: expires, isRenewable: true)
        return BrowserToken(text: text, lifetime: Int(expires.timeIntervalSince(now)))
    }

    /// As `renewal`, but the same token if none is due; `nil` if it does not belong to a browser.
    /// - Throws: `AppError.unauthenticated` for an invalid token.
    package func renewalOrSame(_ token: String) async throws -> BrowserToken? {
        if let later = try await renewal(of: token) { return later }
        let now = clock.now
        let claims = try await tokens.verify(token, at: now)
        guard claims.isRenewable else { return nil }
        return BrowserToken(text: token, lifetime: Int(claims.expires.timeIntervalSince(now)))
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

    /// The session that the token names; `nil` if it has ended or expired, or belongs to another user.
    private func find(_ principal: Principal, at now: Date) async throws -> KnownSession? {
        let id = principal.sessionID
        func isValid(_ session: KnownSession) -> Bool {
            session.userID == principal.userID && now < session.expires
        }
        // One that has expired is read again: another process may have extended it.
        if let session = known.value(for: id, at: now), isValid(session),
            revocations.permits(readAt: session.validity.lowerBound, at: now)
        {
            return session
        }
        let read = try await reads.value(for: Asked(id: id, userID: principal.userID))
        return read.flatMap { isValid($0) ? $0 : nil }
    }

    private func session(of principal: Principal, at now: Date) async throws -> KnownSession {
        guard let session = try await find(principal, at: now) else { throw AppError.sessionEnded }
        return session
    }

    private func touch(
        _ id: Session.ID, _ session: KnownSession, at now: Date, unlessRemovedSince removals: Int
    ) async throws {
        guard now >= session.dayOfUseEnds else { return }
        let today = CalendarDay(instant: now, in: .gmt)
        _ = try await uses.value(for: Use(id: id, day: today))
        var used = session
        used.dayOfUseEnds = KnownSession.end(of: today)
        known.store(used, for: id, validity: used.validity, unlessRemovedSince: removals)
    }
}

/// The token in a browser's cookie.
package struct BrowserToken: Sendable {
    /// The access token.
    package let text: String
    /// Seconds for which it is valid from now on.
    package let lifetime: Int
}
