import Crypto
package import Domain
import Foundation
package import Ports
package import Storage

/// Self-registration with an address in one of `RegistrationDomains`.
///
/// Neither a response nor its duration reveals whether an address has an account. The work is the same, and the worker,
/// whose timing cannot be observed, sends no mail to an address with an account. A taken user name is reported, since
/// members see each other's names anyway.
///
/// An account requires both the mailed link, which proves ownership of the address, and the password typed with the
/// request. Either alone could belong to another person: strangers can enter any address, and owners click on links
/// they are mailed.
package struct RegistrationService: Sendable {
    /// Mails to one address within `window`.
    package static let mailLimit = 3
    /// Requests from one network address within `window`; enough for a classroom that registers at once.
    package static let requestLimit = 60
    /// Seconds.
    static let window: TimeInterval = 3_600
    /// Seconds until a registration expires unless its link is used or requested again.
    static let lifetime: TimeInterval = 7 * 86_400

    /// The domains that may register.
    package let domains: RegistrationDomains
    /// The rules for a new account's password.
    package let policy: PasswordPolicy
    private let store: any Store
    private let mails: MailJobs
    private let quotaKey: SymmetricKey
    private let hasher: PasswordHasher
    private let throttle: LoginThrottle
    private let unconfirmed: UnconfirmedLogins
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(
        stores: Stores, secrets: Secrets, domains: RegistrationDomains, hasher: PasswordHasher,
        policy: PasswordPolicy = .length, clock: WallClock
    ) {
        self.domains = domains
        store = stores.rows
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        quotaKey = DerivedKey.registrationQuota.make(from: secrets.jwt)
        self.hasher = hasher
        throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        unconfirmed = UnconfirmedLogins(store: stores.rows, secret: secrets.jwt)
        self.policy = policy
        self.clock = clock
    }

    /// The input of the registration form.
    package struct Request: Sendable {
        /// User name, not yet validated.
        package let name: String
        /// Address, not yet validated.
        package let email: String
        /// Password, not yet checked.
        package let password: String
        /// Language of mails and pages.
        package let locale: MailLocale

        /// Takes the input as typed.
        package init(name: String, email: String, password: String, locale: MailLocale) {
            self.name = name
            self.email = email
            self.password = password
            self.locale = locale
        }
    }

    /// - Throws: `AppError.notFound` (`registration-off`) while registration is closed.
    package func requireOpen() throws(AppError) {
        guard domains.isOpen else {
            throw AppError(
                .notFound, "Only admins can create accounts here.", reason: .registrationOff)
        }
    }

    /// Stores the input until the mailed link is used. A further request for the same address replaces the first, whose
    /// link is then no longer valid.
    /// - Parameter address: the request's network address.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `malformed`, `unprocessable` (`domain-not-open`, or the reason
    ///   why name or password is rejected), `conflict` (`name-taken`), `tooManyRequests`, `unavailable`.
    package func register(_ request: Request, from address: String) async throws {
        try requireOpen()
        let email = try EmailAddress(request.email)
        guard let role = domains.role(for: email) else {
            let names = domains.names.joined(separator: ", ")
            throw AppError(
                .unprocessable, "Only addresses at these domains can register: \(names).", reason: .domainNotOpen)
        }
        let name = try UserName(request.name)
        try policy.check(request.password, name: name.text, email: email.text)
        try await takeRequestQuota(of: address)
        guard try await store.user(login: name.text) == nil else { throw AppError.nameTaken }
        let now = clock.now
        let hash = try await hasher.inTurn { turn in
            // Before the quota of the address: a missing mark would tell a stranger that its owner registers, too.
            try await unconfirmed.add(
                name: name.text, email: email.text, password: request.password, turn: turn, at: now)
            return try await turn.hash(request.password)
        }
        guard try await takeMailQuota(of: email.text) else { return }
        let registration = Registration(
            name: name.text, email: email.text, passwordHash: hash, role: role, locale: request.locale.rawValue,
            expires: now.addingTimeInterval(Self.lifetime))
        try await store.write { try $0.put(registration) }
        try await mails.registration(registration.id)
    }

    /// Mails another link if this address has a pending registration and has received fewer than `mailLimit` mails.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `malformed`, `tooManyRequests`.
    package func resend(email text: String, from address: String) async throws {
        try requireOpen()
        let email = try EmailAddress(text)
        try await takeRequestQuota(of: address)
        let registration = try await store.read { try $0.registration(email: email.text) }
        guard try await takeMailQuota(of: email.text) else { return }
        // A job with a random id finds nothing, and takes as long to store.
        try await mails.registration(registration?.id ?? .random())
    }

    /// The registration that a link would confirm. Changes nothing.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `unprocessable` (`link-expired`).
    package func pending(token text: String) async throws -> Registration {
        try requireOpen()
        let claim = TokenClaim(text, for: .registration, at: clock.now)
        guard let token = try await store.token(claim), let id = Registration.ID(token.subject),
            let registration = try await store.read({ try $0.registration(id) }),
            token.isValid(for: registration, at: claim.now)
        else { throw AppError.linkExpired }
        return registration
    }

    /// Creates the account if the password matches the one typed with the request.
    ///
    /// A wrong password leaves the link valid; it is counted and throttled like a failed login.
    /// - Parameters:
    ///   - address: the request's network address.
    ///   - language: that of the form, which the account keeps; `nil` if there was none.
    /// - Throws: `AppError`: `notFound` (`registration-off`), `unprocessable` (`link-expired`), `forbidden`
    ///   (`wrong-password`), `tooManyRequests` and `unavailable` with `retryAfter`, `conflict` (`name-taken`,
    ///   `email-taken`) if another user was faster: then another registration is needed, or none.
    package func confirm(
        token text: String, password: String, from address: String, language: MailLocale? = nil
    ) async throws -> User {
        // A token's registration never changes, so the values verified here are those stored below: another request for
        // the address has another id and invalidates this link.
        let registration = try await pending(token: text)
        try await verify(password, for: registration, from: address)
        let user = User(
            name: try UserName(registration.name), email: try EmailAddress(registration.email),
            role: registration.role, passwordHash: registration.passwordHash,
            locale: (language.map(AccountLanguage.chosen) ?? .seen(MailLocale(tag: registration.locale))).tag,
            createdOn: CalendarDay(instant: clock.now, in: .gmt))
        let claim = TokenClaim(text, for: .registration, at: clock.now)
        try await store.transaction { try $0.confirmRegistration(registration.id, as: user, claiming: claim) }
        return user
    }

    private func verify(_ password: String, for registration: Registration, from address: String) async throws {
        let attempt = throttle.attempt(of: registration.id, from: address)
        // Checked here as well, so that a throttled request takes no place in the queue.
        try await throttle.check(attempt, at: clock.now)
        try await hasher.inTurn { turn in
            try await throttle.check(attempt, at: clock.now)
            guard try await turn.verify(password, against: registration.passwordHash) else {
                try await throttle.recordFailure(attempt, at: clock.now)
                throw AppError(
                    .forbidden, "This isn’t the password chosen for the account.", reason: .wrongPassword)
            }
            try await throttle.reset(attempt)
            try await unconfirmed.remove(
                name: registration.name, email: registration.email, password: password, turn: turn)
        }
    }

    private func takeRequestQuota(of address: String) async throws {
        let isFree = try await store.write {
            try $0.takeQuota(
                key("request", ClientNetwork.name(of: address)), limit: Self.requestLimit, window: Self.window,
                at: clock.now)
        }
        guard isFree else {
            throw AppError(
                .tooManyRequests, "Too many registrations from here. Please try again in an hour.",
                reason: .tooManyRegistrations, retryAfter: Int(Self.window))
        }
    }

    private func takeMailQuota(of email: String) async throws -> Bool {
        try await store.write {
            try $0.takeQuota(
                key("mail", EmailAddress.folded(email)), limit: Self.mailLimit, window: Self.window, at: clock.now)
        }
    }

    /// The key under which attempts are counted; it hides the address from the store.
    private func key(_ kind: String, _ value: String) -> [UInt8] {
        SecureBytes.hmac(Data("\(kind) \(value)".utf8), key: quotaKey)
    }
}
