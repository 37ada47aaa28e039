import Crypto
public import Foundation

/// A new password for whoever can read the mails to an account's address.
public struct PasswordResetService: Sendable {
    /// Mails an address gets within `mailWindow`, so that nobody can flood somebody else's mailbox.
    public static let mailLimit = 3
    /// Requests from one place within `mailWindow`, whatever the addresses: each one stores a job, also for nobody. An
    /// office that comes back from its holidays passes.
    public static let requestLimit = 60
    /// Seconds.
    public static let mailWindow: TimeInterval = 3_600

    private let users: any UserStore
    private let tokens: any OneTimeTokenStore
    private let mails: MailJobs
    private let hasher: PasswordHasher
    private let passwordPolicy: PasswordPolicy
    private let throttle: LoginThrottle
    private let authenticator: Authenticator
    private let quotaKey: SymmetricKey
    private let clock: WallClock

    /// - Parameters:
    ///   - secrets: those the log-in has, so that a reset ends the waits that failed log-ins have caused.
    ///   - authenticator: told when sessions end, so that this process knows at once.
    public init(
        stores: Stores, secrets: Secrets, mails: MailJobs, hasher: PasswordHasher,
        passwordPolicy: PasswordPolicy = .length, authenticator: Authenticator, clock: WallClock
    ) {
        users = stores.users
        tokens = stores.tokens
        self.mails = mails
        self.hasher = hasher
        self.passwordPolicy = passwordPolicy
        throttle = LoginThrottle(sessions: stores.sessions, secret: secrets.jwt)
        self.authenticator = authenticator
        quotaKey = DerivedKey.mailQuota.make(from: secrets.jwt)
        self.clock = clock
    }

    /// Has a link mailed to the address, if an account has it.
    ///
    /// Answer and work are the same if none has: one place of the quota is taken, one user looked for and one job of one
    /// size stored, for a user whom nobody knows. Only the worker, out of sight, finds that there is nobody to write to.
    /// A disabled account counts as none. Over the limit nothing happens, whoever has the address.
    /// - Parameter place: where the request comes from.
    /// - Throws: `AppError`: `tooManyRequests` (`too-many-mails`), `unavailable`.
    public func request(for address: EmailAddress, from place: String) async throws {
        try await takeRequestQuota(of: place)
        guard try await takeMailQuota(of: address.text) else { return }
        let user = try await users.find(login: EmailAddress.folded(address.text))
        let nobody = User.ID.random()
        try await mails.passwordReset(of: user.flatMap { $0.isDisabled ? nil : $0.id } ?? nobody)
    }

    /// Has a link mailed to somebody's address, for an administrator whom they asked; the link goes to nobody else.
    /// - Throws: `AppError`: `forbidden`, `notFound`, `refused` (`account-disabled`) for who cannot log in anyway,
    ///   `tooManyRequests` (`too-many-mails`): the address gets no more than if its owner asked.
    public func sendMail(to userID: User.ID, by caller: Caller) async throws {
        try await users.requireAdmin(caller)
        guard let user = try await users.find(id: userID) else { throw AppError.noSuchUser }
        guard !user.isDisabled else {
            throw AppError(.refused, "The account is disabled: nobody can log in to it.", reason: "account-disabled")
        }
        guard try await takeMailQuota(of: user.email) else {
            throw AppError(
                .tooManyRequests, "This address has had enough mails for now. Please try again in an hour.",
                reason: "too-many-mails", retryAfter: Int(Self.mailWindow))
        }
        try await mails.passwordReset(of: user.id)
    }

    private func takeMailQuota(of address: String) async throws -> Bool {
        let key = SecureBytes.hmac(Data("password-reset|\(EmailAddress.folded(address))".utf8), key: quotaKey)
        return try await tokens.takeQuota(key: key, limit: Self.mailLimit, window: Self.mailWindow, at: clock.now)
    }

    private func takeRequestQuota(of place: String) async throws {
        let key = SecureBytes.hmac(Data("password-reset-from|\(LoginThrottle.network(of: place))".utf8), key: quotaKey)
        guard
            try await tokens.takeQuota(key: key, limit: Self.requestLimit, window: Self.mailWindow, at: clock.now)
        else {
            throw AppError(
                .tooManyRequests, "Too many mails were asked for from here. Please try again in an hour.",
                reason: "too-many-mails", retryAfter: Int(Self.mailWindow))
        }
    }

    /// Whose password the link changes. Changes nothing itself.
    /// - Throws: `AppError.linkExpired`, `AppError.storeUnavailable`.
    public func account(of token: String) async throws -> User {
        try await owner(of: TokenClaim(token, for: .passwordReset, at: clock.now))
    }

    /// Sets a new password, once per link: of several at the same moment one wins. With it all sessions end, links and
    /// log-in codes count no more, an address that waits to be confirmed is forgotten (whoever has been in the account
    /// may have named it), and the owner is told by mail. Then waits after failed log-ins are over.
    ///
    /// A password that is refused uses no link up, and neither does a store that is away.
    /// - Throws: `AppError`: `refused` with the reason why the password will not do, or `link-expired`; `unavailable`
    ///   with `retryAfter`.
    public func reset(_ token: String, to password: String) async throws {
        let user = try await account(of: token)
        try passwordPolicy.check(password, name: user.name, email: user.email)
        // Hashed and stored in one turn: a log-in that re-hashes the old password has its own, before or after.
        try await hasher.inTurn { turn in
            let hash = try await turn.hash(password)
            let claim = TokenClaim(token, for: .passwordReset, at: clock.now)
            try await users.update(
                id: user.id,
                UserUpdate(
                    newPassword: hash, endsSessions: .all, claim: claim,
                    enqueueing: try mails.passwordChanged(of: user.id)))
        }
        authenticator.forgetAll(of: user.id)
        try await throttle.forgetAll(of: user)
    }

    private func owner(of claim: TokenClaim) async throws -> User {
        guard let token = try await tokens.find(claim), let id = User.ID(token.subject),
            let user = try await users.find(id: id), token.counts(for: user)
        else { throw AppError.linkExpired }
        return user
    }
}
