import Crypto
package import Domain
import Foundation
package import Ports
package import Storage

/// The person who has logged in at a provider, after full validation of the provider's token.
package struct ProvidedIdentity: Sendable {
    /// The provider's `iss`.
    package let issuer: String
    /// The provider's `sub`.
    package let subject: String
    /// The address known to the provider; `nil` if its token has none.
    package let email: String?
    /// Whether the provider has verified that the address belongs to the person.
    package let isEmailVerified: Bool
    /// The person's preferred user name.
    package let preferredUsername: String?
    /// The full name.
    package let name: String?
    /// BCP 47; `nil` if the provider does not send it.
    package let locale: String?
    /// The language requested by their browser.
    package let browserLocale: MailLocale?
    /// Values of the provider's `roleClaim`.
    package let groups: [String]

    /// Takes values from a validated token.
    package init(
        issuer: String, subject: String, email: String?, isEmailVerified: Bool, preferredUsername: String? = nil,
        name: String? = nil, locale: String? = nil, browserLocale: MailLocale? = nil, groups: [String] = []
    ) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.preferredUsername = preferredUsername
        self.name = name
        self.locale = locale
        self.browserLocale = browserLocale
        self.groups = groups
    }

    /// The language of a new account.
    var language: AccountLanguage {
        locale.map { .chosen(MailLocale(tag: $0)) } ?? browserLocale.map { .seen($0) } ?? .unknown
    }
}

/// A user whom a provider has identified.
package struct ProvidedUser: Sendable {
    /// The account.
    package let user: User
    /// Whether the provider names another address than it did before, which the account has not taken over.
    package let keepsOtherEmail: Bool
}

/// Finds or creates the user for a login through an OpenID provider.
package struct SingleSignOnService: Sendable {
    private let store: any Store
    private let mails: MailJobs
    private let ballotSecret: BallotSecret
    private let markKey: SymmetricKey
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, secrets: Secrets, clock: WallClock) {
        store = stores.rows
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        ballotSecret = secrets.ballot
        markKey = DerivedKey.providerAddresses.make(from: secrets.jwt)
        self.clock = clock
    }

    /// The user, found by issuer and subject; else by the address, which links the account to issuer and subject and
    /// notifies its owner by mail; else a new one, if the provider's settings permit it.
    ///
    /// The address must be verified, or the settings trust the provider. A trusted one links neither an account of an
    /// administrator, unless the provider's groups make the person one, nor one that another person at the provider
    /// has: someone who may choose an address there would get these.
    ///
    /// Address and domain are checked at every login, so that a person who leaves a domain loses access. Groups are
    /// also applied at every login, if the settings name any: they give the role `admin`, and an admin without such a
    /// group becomes a member, unless they are the only admin. For the address see `follow`.
    /// - Throws: `AppError.forbidden`: `email-missing`, `email-not-verified`, `email-domain-not-allowed`,
    ///   `account-not-linked`, `account-disabled`, `no-account`.
    package func user(
        for identity: ProvidedIdentity, through provider: OpenIDProviderSettings
    ) async throws -> ProvidedUser {
        guard let address = identity.email, let email = try? EmailAddress(address) else { throw Self.emailMissing }
        guard identity.isEmailVerified || provider.trustsEmail else { throw Self.emailNotVerified }
        guard provider.allows(email) else { throw Self.domainNotAllowed }
        guard let user = try await knownUser(identity, email: email, through: provider) else {
            let user = try await newUser(for: identity, email: email, through: provider)
            return ProvidedUser(user: user, keepsOtherEmail: false)
        }
        guard !user.isDisabled else { throw AppError.accountDisabled }
        let (present, keepsOther) = try await follow(email, of: identity, as: user.id, through: provider)
        return ProvidedUser(
            user: try await adapt(present, to: identity.groups, through: provider), keepsOtherEmail: keepsOther)
    }

    private func knownUser(
        _ identity: ProvidedIdentity, email: EmailAddress, through provider: OpenIDProviderSettings
    ) async throws -> User? {
        if let known = try await store.read({ try $0.identity(issuer: identity.issuer, subject: identity.subject) }) {
            return try await store.user(known.userID)
        }
        guard let user = try await store.user(login: email.text) else { return nil }
        // A disabled account must not get a link by which it could be found later under another address.
        if !user.isDisabled {
            try await link(
                identity, to: user, email: email, through: provider,
                enqueueing: mails.identityLinked(of: user.id, provider: provider.name))
        }
        return user
    }

    /// Another request of the same person may have been faster; then it linked the same account.
    /// - Parameter job: the notification, enqueued only if this call created the link.
    private func link(
        _ identity: ProvidedIdentity, to user: User, email: EmailAddress, through provider: OpenIDProviderSettings,
        enqueueing job: Job?
    ) async throws {
        let new = ExternalIdentity(
            issuer: identity.issuer, subject: identity.subject, userID: user.id, emailMark: mark(of: email.text))
        let isVerified = identity.isEmailVerified
        let isAdmin = provider.role(ofGroups: identity.groups) == .admin
        do {
            try await store.transaction { rows in
                try rows.add(new, enqueueing: job)
                guard !isVerified else { return }
                // The user is locked now, so of two people with one address, one is refused.
                let others = try rows.identities(of: new.userID)
                    .filter { $0.issuer == new.issuer && $0.subject != new.subject }
                guard others.isEmpty, try isAdmin || rows.user(new.userID)?.role != .admin else {
                    throw Self.accountNotLinked
                }
            }
        } catch let error as AppError where error == .identityTaken {
            let present = try await store.read { try $0.identity(issuer: identity.issuer, subject: identity.subject) }
            guard present?.userID == user.id else { throw error }
        }
    }

    private func newUser(
        for identity: ProvidedIdentity, email: EmailAddress, through provider: OpenIDProviderSettings
    ) async throws -> User {
        guard let role = provider.roleOfNewAccount(email: email, groups: identity.groups) else { throw Self.noAccount }
        for name in Self.names(for: identity, email: email) {
            let user = User(
                name: name, email: email, role: role, locale: identity.language.tag,
                createdOn: CalendarDay(instant: clock.now, in: .gmt))
            do {
                try await store.transaction { try $0.add(user) }
                try await link(identity, to: user, email: email, through: provider, enqueueing: nil)
                return user
            } catch let error as AppError where error == .nameTaken {
                continue
            } catch let error as AppError where error == .emailTaken {
                // Another request of the same person was faster.
                guard let user = try await knownUser(identity, email: email, through: provider) else { throw error }
                guard !user.isDisabled else { throw AppError.accountDisabled }
                return user
            }
        }
        throw AppError.nameTaken
    }

    /// Gives the account the provider's new address, if it has the provider's former one. An address that the user or
    /// an administrator has chosen here stays.
    ///
    /// It is safe where an administrator's change is (decision 63): nobody else has the address, its mailbox is in none
    /// of the user's teams, it brings no receipts, the old address gets a mail, and links into the account become
    /// invalid. Otherwise the account keeps its address, and the next login tries again.
    /// - Returns: the user now, and whether they should be told that the provider names another address.
    private func follow(
        _ email: EmailAddress, of identity: ProvidedIdentity, as id: User.ID, through provider: OpenIDProviderSettings
    ) async throws -> (User, keepsOther: Bool) {
        let (issuer, subject, new) = (identity.issuer, identity.subject, mark(of: email.text))
        // In this order: if another request has just changed both, the user is the new one.
        let (stored, present) = try await store.read { rows in
            (try rows.identity(issuer: issuer, subject: subject), try rows.user(id))
        }
        guard let user = present else { throw AppError.noSuchUser }
        guard let known = stored, known.emailMark != new else { return (user, keepsOther: false) }
        guard !email.isAddress(of: user), known.emailMark == mark(of: user.email) else {
            try await store.transaction { try $0.setEmailMark(new, ofIssuer: issuer, subject: subject) }
            // Of an identity of 0.1.0 it is not known who has chosen the account's address.
            return (user, keepsOther: known.emailMark == nil && !email.isAddress(of: user))
        }
        // As with a link: a link for a new password is mailed to this address, and nobody has verified it.
        let isAdmin = provider.role(ofGroups: identity.groups) == .admin
        guard identity.isEmailVerified || isAdmin || user.role != .admin else { return (user, keepsOther: true) }
        let update = UserUpdate(
            email: UserUpdate.NewEmail(email.text, secret: ballotSecret, isFromProvider: true), ifEmailIs: user.email,
            pendingEmail: .cleared, ifRoleIs: user.role, endsTokens: .intoAccount,
            enqueueing: try mails.emailChanged(of: id, from: user.email, provider: provider.name))
        do {
            try await store.transaction { rows in
                try rows.apply(update, to: id)
                try rows.setEmailMark(new, ofIssuer: issuer, subject: subject)
            }
            return (user.applying(update), keepsOther: false)
        } catch let error as AppError where error.reason == .changedMeanwhile {
            // Another request has changed the address, so this looks at it again.
            return try await follow(email, of: identity, as: id, through: provider)
        } catch let error as AppError where error.reason == .emailTaken || error.reason == .mailboxInTeam {
            return (user, keepsOther: true)
        }
    }

    /// Not an address: the store keeps no former one.
    private func mark(of email: String) -> String {
        SecureBytes.hmac(Data(EmailAddress.folded(email).utf8), key: markKey).base64URL
    }

    /// Applies the role given by the user's groups.
    private func adapt(
        _ user: User, to groups: [String], through provider: OpenIDProviderSettings
    ) async throws -> User {
        guard let role = changedRole(of: user, groups: groups, through: provider) else { return user }
        do {
            try await store.transaction { try $0.apply(UserUpdate(role: role), to: user.id) }
        } catch let error as AppError where error == .lastAdmin {
            return user
        }
        var changed = user
        changed.role = role
        return changed
    }

    private func changedRole(of user: User, groups: [String], through provider: OpenIDProviderSettings) -> User.Role? {
        let given = provider.role(ofGroups: groups)
        switch (user.role, given) {
        case (.member, .admin), (.guest, .admin), (.guest, .member): return given
        case (.admin, .member), (.admin, nil): return provider.adminValues.isEmpty ? nil : .member
        default: return nil
        }
    }

    /// Names to try, the best first: the preferred one, then with a number, and finally one that is certainly free.
    static func names(for identity: ProvidedIdentity, email: EmailAddress) -> [UserName] {
        let wished = [identity.preferredUsername, identity.name, email.text].compactMap { text in
            // Some providers use addresses as user names.
            text.map { String($0.prefix { $0 != "@" }) }
        }
        // Leaves room for the longest suffix.
        let base = wished.lazy.compactMap { try? UserName(String($0.prefix(UserName.maximumLength - 9))).text }.first
        let stem = base ?? "user"
        let endings = [""] + (2...9).map { "-\($0)" } + ["-\(SecureBytes.random(count: 4).hexadecimal)"]
        return endings.compactMap { try? UserName(stem + $0) }
    }

    private static let emailNotVerified = AppError(
        .forbidden, "The provider hasn’t verified your e-mail address.", reason: .emailNotVerified)
    private static let emailMissing = AppError(
        .forbidden, "The provider doesn’t say what your e-mail address is.", reason: .emailMissing)
    private static let accountNotLinked = AppError(
        .forbidden, "Your account can’t be connected with this log-in without a verified e-mail address.",
        reason: .accountNotLinked)
    private static let domainNotAllowed = AppError(
        .forbidden, "You can’t log in through this provider with an address at this domain.",
        reason: .emailDomainNotAllowed)
    private static let noAccount = AppError(
        .forbidden, "There’s no account with your e-mail address.", reason: .noAccount)
}
