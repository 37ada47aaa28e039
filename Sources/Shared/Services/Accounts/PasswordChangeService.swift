package import Domain
package import Ports
package import Storage

/// Changes the password of a logged-in user who knows the present one.
package struct PasswordChangeService: Sendable {
    private let store: any Store
    private let mails: MailJobs
    private let hasher: PasswordHasher
    private let passwordPolicy: PasswordPolicy
    private let throttle: LoginThrottle
    private let authenticator: Authenticator
    private let clock: WallClock

    /// - Parameters:
    ///   - secrets: the same as for logins, so that failures in both places are counted under one key.
    ///   - passwordPolicy: the rules for a new password, from the settings.
    ///   - authenticator: told when sessions end, so that this process knows at once.
    package init(
        stores: Stores, secrets: Secrets, mails: MailJobs, hasher: PasswordHasher,
        passwordPolicy: PasswordPolicy = .length, authenticator: Authenticator, clock: WallClock
    ) {
        store = stores.rows
        self.mails = mails
        self.hasher = hasher
        self.passwordPolicy = passwordPolicy
        throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        self.authenticator = authenticator
        self.clock = clock
    }

    /// Changes the caller's password and notifies them by mail. All their other sessions end, links and login codes
    /// issued before become invalid, and a pending change of address is discarded: an attacker who knew the old
    /// password may have any of these.
    /// - Throws: `AppError`: `forbidden` (`wrong-password`) for a wrong present password, `unprocessable` with the reason why
    ///   the new one is rejected, `conflict` (`changed-meanwhile`), `tooManyRequests` and `unavailable` with
    ///   `retryAfter`.
    package func change(from old: String, to new: String, by principal: Principal) async throws {
        let attempt = throttle.attempt(of: principal.userID)
        // Checked here as well, so that a throttled request takes no place in the queue.
        try await throttle.check(attempt, at: clock.now)
        try await hasher.inTurn { turn in
            try await throttle.check(attempt, at: clock.now)
            guard let user = try await store.user(principal.userID), !user.isDisabled else {
                throw AppError.sessionEnded
            }
            guard try await turn.verify(old, against: user.passwordHash) else {
                try await throttle.recordFailure(attempt, at: clock.now)
                throw AppError(.forbidden, "The current password is wrong.", reason: .wrongPassword)
            }
            try await throttle.reset(attempt)
            try passwordPolicy.check(new, name: user.name, email: user.email)
            try await turn.requireOwn(new, of: user)
            var update = UserUpdate(
                newPassword: try await turn.hash(new), endsSessions: .allExcept(principal.sessionID),
                enqueueing: try mails.passwordChanged(of: user.id))
            // Another process may have reset the password since it was checked here; then the reset wins.
            update.ifPasswordHashIs = user.passwordHash
            try await store.transaction { [update] rows in try rows.apply(update, to: user.id) }
        }
        authenticator.forgetAll(of: principal.userID, except: principal.sessionID)
    }
}
