import Crypto
package import Domain
package import Foundation
package import Ports
package import Storage

/// Sets a new password for a user who can read mail to the account's address.
package struct PasswordResetService: Sendable {
    /// Mails to one address within `mailWindow`, so that nobody can flood another person's mailbox.
    package static let mailLimit = 3
    /// Requests from one network address within `mailWindow`, whatever the mail addresses: each one stores a job, even
    /// for an unknown address. Enough for an office that returns from its holidays.
    package static let requestLimit = 60
    /// Seconds.
    package static let mailWindow: TimeInterval = 3_600

    private let store: any Store
    private let mails: MailJobs
    private let hasher: PasswordHasher
    private let passwordPolicy: PasswordPolicy
    private let throttle: LoginThrottle
    private let authenticator: Authenticator
    private let quotaKey: SymmetricKey
    private let clock: WallClock

    /// - Parameters:
    ///   - secrets: the same as for logins, so that a reset ends the waits after failed logins.
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
        quotaKey = DerivedKey.mailQuota.make(from: secrets.jwt)
        self.clock = clock
    }

    /// Has a link mailed to the address, if it belongs to an account.
    ///
    /// Response and work are the same if it does not: one place of the quota is taken, one user is looked up and one
    /// job of the same size is stored, for an unknown user. Only the worker, which callers cannot observe, finds that
    /// there is no recipient. A disabled account is treated as missing. Over the limit nothing happens, whether or not
    /// an account has the address.
    /// - Parameter place: the request's network address.
    /// - Throws: `AppError`: `tooManyRequests` (`too-many-mails`), `unavailable`.
    package func request(for address: EmailAddress, from place: String) async throws {
        try await takeRequestQuota(of: place)
        guard try await takeMailQuota(of: address.text) else { return }
        let user = try await store.user(login: EmailAddress.folded(address.text))
        let nobody = User.ID.random()
        try await mails.passwordReset(of: user.flatMap { $0.isDisabled ? nil : $0.id } ?? nobody)
    }

    /// Has a link mailed to a user's address, at an administrator's request; only the user receives the link.
    /// - Throws: `AppError`: `forbidden`, `notFound`, `unprocessable` (`account-disabled`) for a user who cannot log in
    ///   anyway, `tooManyRequests` (`too-many-mails`): the limit is the same as for requests by the owner.
    package func sendMail(to userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard let user = try await store.user(userID) else { throw AppError.noSuchUser }
        guard !user.isDisabled else {
            throw AppError(
                .unprocessable, "The account is disabled: no one can log in to it.", reason: .accountDisabled)
        }
        guard try await takeMailQuota(of: user.email) else {
            throw AppError(
                .tooManyRequests, "Too many e-mails were sent to this address. Please try again in an hour.",
                reason: .tooManyMails, retryAfter: Int(Self.mailWindow))
        }
        try await mails.passwordReset(of: user.id)
    }

    private func takeMailQuota(of address: String) async throws -> Bool {
        let key = SecureBytes.hmac(Data("password-reset|\(EmailAddress.folded(address))".utf8), key: quotaKey)
        return try await store.write {
            try $0.takeQuota(key, limit: Self.mailLimit, window: Self.mailWindow, at: clock.now)
        }
    }

    private func takeRequestQuota(of place: String) async throws {
        let key = SecureBytes.hmac(Data("password-reset-from|\(ClientNetwork.name(of: place))".utf8), key: quotaKey)
        guard
            try await store.write({
                try $0.takeQuota(key, limit: Self.requestLimit, window: Self.mailWindow, at: clock.now)
            })
        else {
            throw AppError(
                .tooManyRequests, "Too many e-mails were requested from here. Please try again in an hour.",
                reason: .tooManyMails, retryAfter: Int(Self.mailWindow))
        }
    }

    /// The user whose password the link changes. Changes nothing.
    /// - Throws: `AppError.linkExpired`, `StorageError.unavailable`.
    package func account(of token: String) async throws -> User {
        try await owner(of: TokenClaim(token, for: .passwordReset, at: clock.now))
    }

    /// Sets a new password, once per link: if several requests race, one succeeds. All sessions end, links and login
    /// codes become invalid, a pending change of address is discarded (an intruder may have requested it), and the
    /// owner is notified by mail. Waits after failed logins end.
    ///
    /// A rejected password does not use up the link, and neither does an unavailable store.
    /// - Throws: `AppError`: `unprocessable` with the reason why the password is rejected, or `link-expired`; `unavailable`
    ///   with `retryAfter`.
    package func reset(_ token: String, to password: String) async throws {
        let user = try await account(of: token)
        try passwordPolicy.check(password, name: user.name, email: user.email)
        // Hashed and stored in one turn: a login that re-hashes the old password has its own turn, before or after.
        try await hasher.inTurn { turn in
            try await turn.requireOwn(password, of: user)
            let hash = try await turn.hash(password)
            let claim = TokenClaim(token, for: .passwordReset, at: clock.now)
            try await store.transaction {
                try $0.apply(
                    UserUpdate(
                        newPassword: hash, endsSessions: .all, claim: claim,
                        enqueueing: try mails.passwordChanged(of: user.id)), to: user.id)
            }
        }
        authenticator.forgetAll(of: user.id)
        try await throttle.forgetAll(of: user)
    }

    private func owner(of claim: TokenClaim) async throws -> User {
        guard let token = try await store.token(claim), let id = User.ID(token.subject),
            let user = try await store.user(id), token.isValid(for: user)
        else { throw AppError.linkExpired }
        return user
    }
}
