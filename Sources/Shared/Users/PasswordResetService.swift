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
    private let sessions: any SessionStore
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
        sessions = stores.sessions
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
        let folded = EmailAddress.folded(address.text)
        let key = SecureBytes.hmac(Data("password-reset|\(folded)".utf8), key: quotaKey)
        guard
            try await tokens.takeQuota(key: key, limit: Self.mailLimit, window: Self.mailWindow, at: clock.now)
        else { return }
        let user = try await users.find(login: folded)
        let nobody = User.ID.random()
        try await mails.passwordReset(of: user.flatMap { $0.isDisabled ? nil : $0.id } ?? nobody)
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
        let hash = OneTimeToken.hash(of: token)
        guard let found = try await tokens.find(hash: hash, purpose: .passwordReset, at: clock.now),
            let user = try await owner(of: found)
        else { throw AppError.linkExpired }
        return user
    }

    /// Sets a new password, once per link: of several at the same moment one wins. All sessions end, the owner is told
    /// by mail, and waits after failed log-ins are over. An address that waits to be confirmed is forgotten: whoever
    /// has been in the account may have named it.
    ///
    /// A password that is refused uses no link up.
    /// - Throws: `AppError`: `refused` with the reason why the password will not do, or `link-expired`; `unavailable`
    ///   with `retryAfter`.
    public func reset(_ token: String, to password: String) async throws {
        let known = try await account(of: token)
        try passwordPolicy.check(password, name: known.name, email: known.email)
        let user = try await hasher.inTurn { turn in
            // Before the link is used up, for this may fail.
            let passwordHash = try await turn.hash(password)
            let hash = OneTimeToken.hash(of: token)
            guard let used = try await tokens.consume(hash: hash, purpose: .passwordReset, at: clock.now),
                let user = try await owner(of: used)
            else { throw AppError.linkExpired }
            try await users.update(id: user.id, UserUpdate(passwordHash: passwordHash, pendingEmail: .cleared))
            return user
        }
        try await sessions.endAll(userID: user.id, except: nil)
        authenticator.forgetAll(of: user.id)
        try await tokens.deleteAll(purpose: .emailChange, subject: user.id.description)
        try await throttle.forgetAll(of: user)
        try await mails.passwordChanged(of: user.id)
    }

    /// The user of a token, if they may still log in and the mail went to the address they still have.
    private func owner(of token: OneTimeToken) async throws -> User? {
        guard let id = User.ID(token.subject), let user = try await users.find(id: id), !user.isDisabled,
            EmailAddress.folded(user.email) == EmailAddress.folded(token.email)
        else { return nil }
        return user
    }
}
