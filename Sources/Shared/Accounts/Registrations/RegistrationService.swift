import Crypto
import Foundation

/// Accounts that people ask for themselves, with an address in one of `RegistrationDomains`.
///
/// Whether an address has an account shows in no answer and no time it takes: the work is the same, and the worker,
/// which nobody watches, sends an address with an account no mail. User names are told when they are taken, since
/// members see each other's anyway.
///
/// An account takes both: the mailed link, which shows that the address is theirs, and the password typed with the
/// request. Either alone could be somebody else's: strangers type any address, and owners click on what they are mailed.
public struct RegistrationService: Sendable {
    /// Mails to one address within `window`.
    public static let mailLimit = 3
    /// Requests from one place within `window`; a classroom that registers at once passes.
    public static let requestLimit = 60
    /// Seconds.
    static let window: TimeInterval = 3_600
    /// Seconds a registration waits for its link to be used or asked for again.
    static let lifetime: TimeInterval = 7 * 86_400

    /// Who may register.
    public let domains: RegistrationDomains
    /// What the password of a new account must be.
    public let policy: PasswordPolicy
    private let users: any UserStore
    private let registrations: any RegistrationStore
    private let tokens: any OneTimeTokenStore
    private let mails: MailJobs
    private let quotaKey: SymmetricKey
    private let hasher: PasswordHasher
    private let throttle: LoginThrottle
    private let clock: WallClock

    /// Over the stores of one database.
    public init(
        stores: Stores, secrets: Secrets, domains: RegistrationDomains, hasher: PasswordHasher,
        policy: PasswordPolicy = .length, clock: WallClock
    ) {
        self.domains = domains
        users = stores.users
        registrations = stores.registrations
        tokens = stores.tokens
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        quotaKey = DerivedKey.registrationQuota.make(from: secrets.jwt)
        self.hasher = hasher
        throttle = LoginThrottle(sessions: stores.sessions, secret: secrets.jwt)
        self.policy = policy
        self.clock = clock
    }

    /// What somebody types who wants an account.
    public struct Request: Sendable {
        /// User name, not yet validated.
        public let name: String
        /// Address, not yet validated.
        public let email: String
        /// Password, not yet checked.
        public let password: String
        /// Language of mails and pages.
        public let locale: MailLocale

        /// As typed.
        public init(name: String, email: String, password: String, locale: MailLocale) {
            self.name = name
            self.email = email
            self.password = password
            self.locale = locale
        }
    }

    /// - Throws: `AppError.notFound` (`registration-off`) while nobody may register.
    public func requireOpen() throws(AppError) {
        guard domains.isOpen else {
            throw AppError(
                .notFound, "Accounts are given out by the administrator here.", reason: "registration-off")
        }
    }

    /// Keeps what was typed until the link is used that the worker mails. A further request for the same address takes
    /// the place of the first, whose link then counts no more.
    /// - Parameter address: where the request comes from.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `malformed`, `refused` (`domain-not-open`, and why name or
    ///   password will not do), `conflict` (`name-taken`), `tooManyRequests`, `unavailable`.
    public func register(_ request: Request, from address: String) async throws {
        try requireOpen()
        let email = try EmailAddress(request.email)
        guard let role = domains.role(for: email) else {
            let names = domains.names.joined(separator: ", ")
            throw AppError(
                .refused, "Only addresses of these domains can register: \(names).", reason: "domain-not-open")
        }
        let name = try UserName(request.name)
        try policy.check(request.password, name: name.text, email: email.text)
        try await takeRequestQuota(of: address)
        guard try await users.find(login: name.text) == nil else { throw AppError.nameTaken }
        let hash = try await hasher.hash(request.password)
        guard try await takeMailQuota(of: email.text) else { return }
        let registration = Registration(
            name: name.text, email: email.text, passwordHash: hash, role: role, locale: request.locale.rawValue,
            expires: clock.now.addingTimeInterval(Self.lifetime))
        try await registrations.put(registration)
        try await mails.registration(registration.id)
    }

    /// Mails another link, if a registration waits under this address and has had fewer than `mailLimit` mails.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `malformed`, `tooManyRequests`.
    public func resend(email text: String, from address: String) async throws {
        try requireOpen()
        let email = try EmailAddress(text)
        try await takeRequestQuota(of: address)
        let registration = try await registrations.find(email: email.text)
        guard try await takeMailQuota(of: email.text) else { return }
        // A job for nothing finds nothing, and takes as long to store.
        try await mails.registration(registration?.id ?? .random())
    }

    /// The registration a link confirms. Changes nothing.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `refused` (`link-expired`).
    public func pending(token text: String) async throws -> Registration {
        try requireOpen()
        let claim = TokenClaim(text, for: .registration, at: clock.now)
        guard let token = try await tokens.find(claim), let id = Registration.ID(token.subject),
            let registration = try await registrations.find(id: id), token.counts(for: registration, at: claim.now)
        else { throw AppError.linkExpired }
        return registration
    }

    /// Makes the account, for the password that was typed with the request.
    ///
    /// A wrong one leaves the link good, and is counted and slowed down as a failed log-in is.
    /// - Parameter address: where the request comes from.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `refused` (`link-expired`), `forbidden` (`wrong-password`),
    ///   `tooManyRequests` and `unavailable` with `retryAfter`, `conflict` (`name-taken`, `email-taken`) if somebody was
    ///   faster: then another registration is needed, or none.
    public func confirm(token text: String, password: String, from address: String) async throws -> User {
        // A token's registration never changes, so what is verified here is what is stored below: another request for
        // the address has another id, and ends this link.
        let registration = try await pending(token: text)
        try await verify(password, for: registration, from: address)
        let user = User(
            name: try UserName(registration.name), email: try EmailAddress(registration.email),
            role: registration.role, passwordHash: registration.passwordHash,
            locale: AccountLanguage.seen(MailLocale(tag: registration.locale)).tag,
            createdOn: CalendarDay(instant: clock.now, in: .gmt))
        let claim = TokenClaim(text, for: .registration, at: clock.now)
        try await registrations.confirm(id: registration.id, as: user, claiming: claim)
        return user
    }

    private func verify(_ password: String, for registration: Registration, from address: String) async throws {
        let attempt = throttle.attempt(of: registration.id, from: address)
        // Here as well, so that whoever has to wait takes no place in the queue.
        try await throttle.check(attempt, at: clock.now)
        try await hasher.inTurn { turn in
            try await throttle.check(attempt, at: clock.now)
            guard try await turn.verify(password, against: registration.passwordHash) else {
                try await throttle.recordFailure(attempt, at: clock.now)
                throw AppError(
                    .forbidden, "This is not the password that was chosen for the account.", reason: "wrong-password")
            }
            try await throttle.clear(attempt)
        }
    }

    private func takeRequestQuota(of address: String) async throws {
        let isFree = try await tokens.takeQuota(
            key: key("request", LoginThrottle.network(of: address)), limit: Self.requestLimit, window: Self.window,
            at: clock.now)
        guard isFree else {
            throw AppError(
                .tooManyRequests, "Too many registrations from here. Please try again in an hour.",
                reason: "too-many-registrations", retryAfter: Int(Self.window))
        }
    }

    private func takeMailQuota(of email: String) async throws -> Bool {
        try await tokens.takeQuota(
            key: key("mail", EmailAddress.folded(email)), limit: Self.mailLimit, window: Self.window, at: clock.now)
    }

    /// What is counted under: the store learns no address from it.
    private func key(_ kind: String, _ value: String) -> [UInt8] {
        SecureBytes.hmac(Data("\(kind) \(value)".utf8), key: quotaKey)
    }
}
