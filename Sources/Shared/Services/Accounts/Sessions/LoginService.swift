package import Domain
package import Foundation
package import Ports
package import Storage

/// Login, refresh and logout.
package struct LoginService: Sendable {
    /// Verifies the tokens this service issues.
    package let authenticator: Authenticator

    private let store: any Store
    private let hasher: PasswordHasher
    private let refreshTokens: RefreshTokens
    private let throttle: LoginThrottle
    private let lifetimes: SessionLifetimes
    private let unconfirmed: UnconfirmedLogins?
    private let clock: WallClock

    /// - Parameter unconfirmed: registrations whose passwords are recognised; `nil` where nobody registers.
    /// - Throws: `SettingsError` for a secret that is too short.
    package init(
        stores: Stores, secrets: Secrets, hasher: PasswordHasher, lifetimes: SessionLifetimes,
        memberships: MembershipCache, unconfirmed: UnconfirmedLogins? = nil, clock: WallClock
    ) throws {
        authenticator = try Authenticator(
            secret: secrets.jwt, store: stores.rows, memberships: memberships, clock: clock)
        store = stores.rows
        self.hasher = hasher
        refreshTokens = RefreshTokens(secret: secrets.jwt)
        throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        self.lifetimes = lifetimes
        self.unconfirmed = unconfirmed
        self.clock = clock
    }

    /// Uses the lifetimes from the settings.
    /// - Throws: `SettingsError` for a secret that is too short.
    package init(
        stores: Stores, secrets: Secrets, hasher: PasswordHasher, settings: AccountSettings,
        memberships: MembershipCache, clock: WallClock
    ) throws {
        let lifetimes = SessionLifetimes(classicSession: TimeInterval(settings.classicTokenDays * 86_400))
        try self.init(
            stores: stores, secrets: secrets, hasher: hasher, lifetimes: lifetimes, memberships: memberships,
            unconfirmed: settings.registrationDomains.isOpen
                ? UnconfirmedLogins(store: stores.rows, secret: secrets.jwt) : nil, clock: clock)
    }

    /// Issues tokens to a user who knows the password.
    ///
    /// Response and work are the same whether the user is unknown, disabled, without a password, or the password is
    /// wrong. Only who typed the password of a registration learns that its address is not confirmed. Check, hash and
    /// count happen in one turn at the hasher, so that concurrent attempts are counted one after another.
    /// - Parameters:
    ///   - login: user name or e-mail address, ignoring case.
    ///   - device: the client's own description, for the list of sessions.
    ///   - address: the request's network address.
    /// - Throws: `AppError`: `unauthenticated` (`wrong-credentials`, `address-not-confirmed`), `tooManyRequests` and
    ///   `unavailable` with `retryAfter`.
    package func logIn(
        login: String, password: String, device: String, address: String, lifetime: SessionKind
    ) async throws -> Login {
        let attempt = throttle.attempt(login: login, from: address)
        // Checked here as well, so that a throttled request takes no place in the queue.
        try await throttle.check(attempt, at: clock.now)
        return try await hasher.inTurn { turn in
            try await throttle.check(attempt, at: clock.now)
            guard let user = try await verifiedUser(login: login, password: password, turn: turn) else {
                let isUnconfirmed =
                    try await unconfirmed?.contains(login: login, password: password, turn: turn, at: clock.now)
                // A failure in both cases: whoever registers an address chooses this password. They could otherwise
                // guess that of its owner, or have the hasher work, as often as they like.
                try await throttle.recordFailure(attempt, at: clock.now)
                throw isUnconfirmed == true ? AppError.addressNotConfirmed : Self.wrongCredentials
            }
            try await throttle.reset(attempt)
            let session = try await startSession(of: user, device: device, lifetime: lifetime)
            return try await answer(for: session, of: user, lifetime: lifetime, issued: clock.now)
        }
    }

    /// Issues tokens to a user who has just proved their identity in another way than by password.
    /// - Parameter claim: the one-time token that proved it, used up when the session begins; `nil` if there was none.
    /// - Throws: `AppError.unauthenticated` (`wrong-credentials`) if the account was disabled, deleted or got another
    ///   password in the meantime; `AppError.linkExpired` if the claim's token is not valid.
    package func logIn(
        verified user: User, claiming claim: TokenClaim? = nil, device: String, lifetime: SessionKind
    ) async throws -> Login {
        let session = try await startSession(of: user, claiming: claim, device: device, lifetime: lifetime)
        return try await answer(for: session, of: user, lifetime: lifetime, issued: clock.now)
    }

    /// The next pair of tokens. Each refresh token is valid once. Repeating the last one within 30 s returns the same
    /// pair again; an older one ends the session, because two parties have it.
    /// - Throws: `AppError.unauthenticated`: `session-ended`, `refresh-token-reused`, `invalid-refresh-token`.
    package func refresh(_ refreshToken: String) async throws -> Login {
        let now = clock.now
        guard let parts = refreshTokens.parse(refreshToken) else { throw Self.invalidRefreshToken }
        var session = try await genuineSession(of: parts)
        guard now < session.expires, let user = try await store.user(session.userID), !user.isDisabled else {
            throw AppError.sessionEnded
        }
        if parts.generation == session.generation {
            // False means that another request was faster; its result is read in either case.
            _ = try await store.write { [session] rows in
                try rows.rotate(
                    session.id, from: parts.generation, at: now,
                    repeatUntil: now.addingTimeInterval(SessionLifetimes.repeatWindow),
                    expires: now.addingTimeInterval(lifetimes.rotatingSession))
            }
            session = try await genuineSession(of: parts)
        }
        let isLatest = parts.generation == session.generation - 1
        guard isLatest, let repeatUntil = session.repeatUntil, now <= repeatUntil else {
            guard parts.generation < session.generation else { throw Self.invalidRefreshToken }
            try await end(session.id)
            throw AppError(
                .unauthenticated, "This log-in was used twice and has been ended. Please log in again.",
                reason: .refreshTokenReused)
        }
        // Uses the time of the rotation, so that a repeated request gets exactly the same tokens.
        let rotated = repeatUntil.addingTimeInterval(-SessionLifetimes.repeatWindow)
        return try await answer(for: session, of: user, lifetime: .rotating, issued: rotated)
    }

    /// Ends the caller's session, immediately in this process and within `RevocationFeed.trust` in others.
    package func logOut(_ principal: Principal) async throws {
        try await end(principal.sessionID)
    }

    /// Ends all sessions of the caller, or all except the present one.
    package func endAll(_ principal: Principal, keepingPresent: Bool = false) async throws {
        let kept = keepingPresent ? principal.sessionID : nil
        try await store.transaction { try $0.endSessions(of: principal.userID, except: kept) }
        authenticator.forgetAll(of: principal.userID, except: kept)
    }

    /// The caller's sessions, most recently used first.
    package func sessions(of principal: Principal) async throws -> [Session] {
        try await store.read { try $0.sessions(of: principal.userID, at: clock.now) }
    }

    /// Ends one of the caller's sessions.
    /// - Throws: `AppError.notFound` if the id is unknown or belongs to another user.
    package func endSession(_ id: Session.ID, by principal: Principal) async throws {
        guard let session = try await store.session(id), session.userID == principal.userID else {
            throw AppError(.notFound, "There’s no such session.", reason: .noSuchSession)
        }
        try await end(id)
    }

    /// The user, if the password is correct. One hash is computed in any case.
    private func verifiedUser(
        login: String, password: String, turn: PasswordHasher.Turn
    ) async throws -> User? {
        let found = try await store.user(login: login)
        let candidate = found.flatMap { $0.isDisabled ? nil : $0 }
        guard try await turn.verify(password, against: candidate?.passwordHash), var user = candidate,
            let hash = user.passwordHash
        else { return nil }
        if hasher.needsRehash(hash) {
            let newHash = try await turn.hash(password)
            do {
                let change = UserUpdate(passwordHash: newHash, ifPasswordHashIs: hash)
                try await store.transaction { [user] rows in try rows.apply(change, to: user.id) }
            } catch let error as AppError where error == .changedMeanwhile {
                // By another process. Writing this hash would restore a password that has just been reset.
                return nil
            }
            user.passwordHash = newHash
        }
        return user
    }

    private func startSession(
        of user: User, claiming claim: TokenClaim? = nil, device: String, lifetime: SessionKind
    ) async throws -> Session {
        let now = clock.now
        let length =
            switch lifetime {
            case .rotating: lifetimes.rotatingSession
            case .classic: lifetimes.classicSession
            case .browser: lifetimes.browserSession
            }
        let session = Session(
            userID: user.id, device: device, expires: now.addingTimeInterval(length),
            lastUsed: CalendarDay(instant: now, in: .gmt))
        do {
            try await store.transaction { [session] rows in try rows.add(session, claiming: claim) }
        } catch let error as AppError where error == .noSuchUser {
            throw Self.wrongCredentials
        }
        // Disabling a user or changing their password ends the existing sessions. A session inserted a moment later
        // would survive, so the user is checked again afterwards.
        let present = try await store.user(user.id)
        guard let present, !present.isDisabled, present.passwordHash == user.passwordHash else {
            try await end(session.id)
            throw Self.wrongCredentials
        }
        return session
    }

    private func genuineSession(of parts: RefreshTokens.Parts) async throws -> Session {
        guard let session = try await store.session(parts.sessionID) else { throw AppError.sessionEnded }
        guard refreshTokens.isGenuine(parts, of: session) else { throw Self.invalidRefreshToken }
        return session
    }

    private func answer(
        for session: Session, of user: User, lifetime: SessionKind, issued: Date
    ) async throws -> Login {
        let expires: Date
        let refreshToken: String?
        switch lifetime {
        case .rotating:
            expires = min(issued.addingTimeInterval(lifetimes.accessToken), session.expires)
            refreshToken = refreshTokens.token(of: session, generation: session.generation)
        case .classic:
            expires = min(issued.addingTimeInterval(lifetimes.classicSession), session.expires)
            refreshToken = nil
        case .browser:
            expires = min(SessionLifetimes.browserTokenEnd(at: issued), session.expires)
            refreshToken = nil
        }
        let accessToken = try await authenticator.issueToken(
            for: session, issued: issued, expires: expires, isRenewable: lifetime == .browser)
        return Login(
            user: user, sessionID: session.id, accessToken: accessToken, issued: issued, expires: expires,
            refreshToken: refreshToken)
    }

    private func end(_ sessionID: Session.ID) async throws {
        try await store.write { try $0.endSession(sessionID) }
        authenticator.forget(sessionID)
    }

    private static let wrongCredentials = AppError(
        .unauthenticated, "Wrong user name or password.", reason: .wrongCredentials)
    private static let invalidRefreshToken = AppError(
        .unauthenticated, "This log-in isn’t valid. Please log in again.", reason: .invalidRefreshToken)
}

/// The result of a login or refresh.
package struct Login: Sendable {
    /// The user who logged in.
    package let user: User
    /// The session that began or continues.
    package let sessionID: Session.ID
    /// For the header `Authorization`.
    package let accessToken: String
    /// The first instant at which the access token is valid.
    package let issued: Date
    /// The first instant at which the access token is no longer valid.
    package let expires: Date
    /// For the next pair; `nil` if the session cannot be refreshed.
    package let refreshToken: String?

    /// Seconds for which the access token is valid from `issued` on (RFC 6749 §5.1, `expires_in`).
    package var expiresIn: Int { Int(expires.timeIntervalSince(issued)) }
}
