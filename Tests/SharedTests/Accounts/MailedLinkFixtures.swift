import Domain
import Foundation
import Services
import Storage
import TestSupport

/// The services behind mailed links, on a store of their own.
struct MailedLinks {
    let accounts: Accounts
    let resets: PasswordResetService
    let changes: PasswordChangeService
    let emails: EmailChangeService

    var stores: Stores { accounts.stores }
    var clock: SettableClock { accounts.clock }

    init(stores: Stores) throws {
        accounts = try Accounts(stores: stores)
        let secrets = Secrets(jwt: Accounts.secret, ballot: BallotSecret(key: Accounts.secret))
        let mails = MailJobs(jobs: stores.jobs, clock: accounts.clock.wall)
        resets = PasswordResetService(
            stores: stores, secrets: secrets, mails: mails, hasher: accounts.hasher,
            authenticator: accounts.logins.authenticator, clock: accounts.clock.wall)
        changes = PasswordChangeService(
            stores: stores, secrets: secrets, mails: mails, hasher: accounts.hasher,
            authenticator: accounts.logins.authenticator, clock: accounts.clock.wall)
        emails = EmailChangeService(
            stores: stores, secrets: secrets, mails: mails,
            confirmation: PasswordConfirmation(
                stores: stores, secrets: secrets, hasher: accounts.hasher, clock: accounts.clock.wall),
            clock: accounts.clock.wall)
    }

    /// Runs `body` on a new store.
    static func with(_ store: StoreUnderTest, _ body: (MailedLinks) async throws -> Void) async throws {
        try await store.withStores { try await body(MailedLinks(stores: $0)) }
    }

    /// Creates a link like the worker.
    func link(_ purpose: OneTimeToken.Purpose, to user: User, at address: String? = nil) async throws -> String {
        let (text, token) = OneTimeToken.make(
            purpose, subject: user.id.description, email: address ?? user.email, at: clock.now)
        try await stores.insert(token)
        return text
    }

    /// The payloads of the jobs for a kind of mail.
    func mails(_ kind: MailJobKind) async throws -> [String] {
        try await stores.jobs.list(state: nil, limit: 1_000).filter { $0.kind == kind.rawValue }.map(\.payload)
    }

    func user(_ id: User.ID) async throws -> User? {
        try await stores.user(id)
    }
}
