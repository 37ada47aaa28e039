import Domain
import Foundation
import Services
import Storage
import TestSupport

/// Invitations and registrations, on a store of their own.
struct NewAccounts {
    static let password = "a horse, a staple"

    let accounts: Accounts
    let invitations: InvitationService
    let registrations: RegistrationService

    var stores: Stores { accounts.stores }
    var clock: SettableClock { accounts.clock }

    init(stores: Stores, domains: String) throws {
        accounts = try Accounts(stores: stores)
        invitations = InvitationService(
            stores: stores, secret: TestTeam.secret, hasher: accounts.hasher, clock: accounts.clock.wall)
        registrations = RegistrationService(
            stores: stores, secrets: Secrets(jwt: Accounts.secret, ballot: BallotSecret(key: Accounts.secret)),
            domains: try RegistrationDomains(setting: domains), hasher: accounts.hasher, clock: accounts.clock.wall)
    }

    /// Runs `body` on a new store.
    static func with(
        _ store: StoreUnderTest, domains: String = "example.org:member,guests.example.org:guest",
        _ body: (NewAccounts) async throws -> Void
    ) async throws {
        try await store.withStores { try await body(NewAccounts(stores: $0, domains: domains)) }
    }

    /// A user who leads a new team.
    func makeLead(of team: String = "Blue") async throws -> (caller: Caller, team: Team) {
        let team = try await accounts.teams.add(name: team, by: .operator)
        let lead = try await accounts.addUser("Lead-\(team.name)")
        try await stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
        return (.user(lead.id), team)
    }

    /// Invites an address; fails if there is no invitation.
    func invited(
        _ email: String = "new@example.org", role: User.Role = .member, to team: Team? = nil,
        as teamRole: Membership.Role = .member, by caller: Caller = .operator
    ) async throws -> Invitation? {
        let new = NewInvitation(email: try EmailAddress(email), role: role, teamID: team?.id, teamRole: teamRole)
        guard case .invited(let invitation) = try await invitations.invite(new, by: caller) else { return nil }
        return invitation
    }

    /// Accepts an invitation for an address without an account.
    @discardableResult
    func accept(_ token: String, as name: String? = "Newcomer", password: String? = password) async throws -> User {
        try await invitations.accept(token: token, name: name, password: password).user
    }

    /// Requests an account.
    func register(_ name: String, _ email: String, password: String = password, from: String = "192.0.2.1") async throws
    {
        try await registrations.register(
            RegistrationService.Request(name: name, email: email, password: password, locale: .german), from: from)
    }

    /// Confirms a registration.
    @discardableResult
    func confirm(
        _ token: String, password: String = password, from: String = "192.0.2.1"
    ) async throws -> User {
        try await registrations.confirm(token: token, password: password, from: from)
    }

    /// The pending registration of an address, and a link for it.
    func registrationWithLink(of email: String) async throws -> (registration: Registration, token: String)? {
        guard let registration = try await stores.read({ try $0.registration(email: email) }) else { return nil }
        return (registration, try await token(for: registration))
    }

    /// Creates a link's token like the worker.
    func token(for invitation: Invitation) async throws -> String {
        try await token(.invitation, subject: invitation.id.description, email: invitation.email)
    }

    /// Creates a link's token like the worker.
    func token(for registration: Registration) async throws -> String {
        try await token(.registration, subject: registration.id.description, email: registration.email)
    }

    private func token(_ purpose: OneTimeToken.Purpose, subject: String, email: String) async throws -> String {
        let (text, token) = OneTimeToken.make(purpose, subject: subject, email: email, at: clock.now)
        try await stores.insert(token)
        return text
    }

    /// The payloads of the jobs for a kind of mail.
    func mails(_ kind: MailJobKind) async throws -> [String] {
        try await stores.jobs.list(state: nil, limit: 2_000).filter { $0.kind == kind.rawValue }.map(\.payload)
    }
}
