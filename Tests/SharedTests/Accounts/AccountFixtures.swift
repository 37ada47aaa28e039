import Domain
import Foundation
import Logging
import ObjectStorage
import Ports
import Services
import Storage
import TestSupport

@testable import Worker

/// Accounts with teams and sprints, for tests of what users do with their own account.
struct OwnAccounts {
    let accounts: Accounts
    let memberships: MembershipCache
    let sprints: SprintService
    let service: AccountService
    /// The store of the pictures.
    let objects: any ObjectStore
    let pictureLinks: PictureLinks

    var stores: Stores { accounts.stores }

    init(stores: Stores, objects: any ObjectStore) throws {
        self.objects = objects
        accounts = try Accounts(stores: stores)
        let clock = accounts.clock.wall
        memberships = MembershipCache(stores: stores, clock: clock)
        sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
        service = AccountService(
            stores: stores, secrets: Secrets(jwt: Accounts.secret, ballot: TestTeam.secret), hasher: accounts.hasher,
            authenticator: accounts.logins.authenticator, memberships: memberships, clock: clock)
        pictureLinks = PictureLinks(
            objects: objects, secrets: Secrets(jwt: Accounts.secret, ballot: TestTeam.secret),
            publicURL: "https://happiness.example", clock: clock)
    }

    /// Runs `body` on a new store.
    /// - Parameter objects: the store of the pictures; a folder by default.
    static func with(
        _ kind: StoreUnderTest, objects: (any ObjectStore)? = nil, _ body: (OwnAccounts) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            try await TemporaryDirectory.with { directory in
                let folder = FileObjectStore(folder: directory.path("objects"))
                try await body(OwnAccounts(stores: stores, objects: objects ?? folder))
            }
        }
    }

    /// The administrators' service on the same store.
    func people() throws -> UserAdministrationService {
        let clock = accounts.clock.wall
        return UserAdministrationService(
            stores: stores, accounts: service, passwordResets: try MailedLinks(stores: stores).resets,
            authenticator: accounts.logins.authenticator,
            confirmation: PasswordConfirmation(
                stores: stores, secrets: Secrets(jwt: Accounts.secret, ballot: TestTeam.secret),
                hasher: accounts.hasher, clock: clock),
            mails: MailJobs(jobs: stores.jobs, clock: clock), secret: TestTeam.secret, clock: clock)
    }

    /// A user who has just logged in.
    func signIn(_ name: String, role: User.Role = .member) async throws -> SignedIn {
        let user = try await accounts.addUser(name, role: role)
        let logIn = try await accounts.logIn(name)
        return SignedIn(
            user: user, token: logIn.accessToken, principal: Principal(userID: user.id, sessionID: logIn.sessionID))
    }

    /// A team; the first member leads it.
    func makeTeam(
        _ name: String, _ members: [SignedIn], policy: PublicationPolicy = .close
    ) async throws -> Team {
        let change = TeamSettingsChange(policy: policy)
        let team = try await accounts.teams.add(name: name, settings: change, by: .operator)
        for (index, member) in members.enumerated() {
            try await stores.add(
                Membership(teamID: team.id, userID: member.user.id, role: index == 0 ? .lead : .member))
        }
        return team
    }

    /// Runs the worker's jobs for deleted accounts and replaced pictures so far.
    func workOff() async throws {
        let clock = accounts.clock.wall
        let removal = AccountTraceRemoval(
            stores: stores, objects: objects, secret: TestTeam.secret, clock: clock)
        let processor = JobProcessor(
            jobs: stores.jobs, handlers: [RemoveAccountTraces(traces: removal), RemovePicture(objects: objects)],
            clock: clock, logger: Logger(label: "test"))
        _ = try await processor.runDueOnce(at: clock.now)
    }

    /// Casts a ballot in the team's running sprint.
    @discardableResult
    func vote(_ voter: SignedIn, in team: Team) async throws -> BallotOutcome {
        let sprint = try await sprints.runningSprint(of: team.id)
        let box = BallotBox(store: stores.ballots, partitions: 1, clock: accounts.clock.wall)
        defer { box.close() }
        return try await box.cast(
            Ballot(
                voter: Ballot.Voter(
                    sessionID: voter.principal.sessionID, userID: voter.user.id,
                    receipt: Receipt(secret: TestTeam.secret, sprint: sprint.key, userID: voter.user.id)),
                sprint: sprint.key, happiness: try Happiness(tenths: 70), feedback: nil))
    }
}

/// A user with a token and its principal.
struct SignedIn: Sendable {
    let user: User
    let token: String
    let principal: Principal
}
