package import Domain
package import Foundation
package import Ports
package import Storage

/// Confirms that an action which cannot be undone, or which leads into an account, is requested by the user, and not by
/// another person who has their unlocked phone or their session.
package struct PasswordConfirmation: Sendable {
    /// Seconds for which a session is considered new, for users who log in elsewhere and have no password here: enough
    /// to read the consequences of a deletion, too short to leave a desk.
    package static let freshness: TimeInterval = 600

    private let store: any Store
    private let hasher: PasswordHasher
    private let throttle: LoginThrottle
    private let clock: WallClock

    /// - Parameter secrets: the same as for logins, so that failures in both places are counted under one key.
    package init(stores: Stores, secrets: Secrets, hasher: PasswordHasher, clock: WallClock) {
        store = stores.rows
        self.hasher = hasher
        throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        self.clock = clock
    }

    /// The caller, if the password is correct or, for a user without a password, if their session began within
    /// `freshness`.
    ///
    /// Failures are counted and throttled like those of a password change, under the same key.
    /// - Throws: `AppError`: `malformed` if a password is required but missing, `forbidden` (`wrong-password`,
    ///   `log-in-again`), `unauthenticated`, `tooManyRequests` and `unavailable` with `retryAfter`.
    package func confirm(_ principal: Principal, password: String?) async throws -> User {
        let user = try await user(principal)
        guard user.passwordHash != nil else {
            try await requireFreshSession(principal)
            return user
        }
        guard let password else { throw AppError(.malformed, "The field password is missing.") }
        let attempt = throttle.attempt(of: principal.userID)
        // Checked here as well, so that a throttled request takes no place in the queue.
        try await throttle.check(attempt, at: clock.now)
        return try await hasher.inTurn { turn in
            try await throttle.check(attempt, at: clock.now)
            // Read again: the password may have changed while the request waited for its turn.
            let user = try await self.user(principal)
            guard try await turn.verify(password, against: user.passwordHash) else {
                try await throttle.recordFailure(attempt, at: clock.now)
                throw AppError(.forbidden, "The password is wrong.", reason: .wrongPassword)
            }
            try await throttle.reset(attempt)
            return user
        }
    }

    private func user(_ principal: Principal) async throws -> User {
        guard let user = try await store.user(principal.userID), !user.isDisabled else {
            throw AppError.sessionEnded
        }
        return user
    }

    private func requireFreshSession(_ principal: Principal) async throws {
        guard let session = try await store.session(principal.sessionID) else { throw AppError.sessionEnded }
        // Tokens of the first generation were issued at login. No store keeps that time.
        guard session.generation == 0, let issued = principal.tokenIssued,
            clock.now.timeIntervalSince(issued) <= Self.freshness
        else {
            throw AppError(
                .forbidden,
                "Please log in again and try again within \(Int(Self.freshness / 60)) minutes: your account has no "
                    + "password to ask for.", reason: .logInAgain)
        }
    }
}
