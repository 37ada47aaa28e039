import Foundation
public import Logging

/// What people do with their own account, the password aside, which is `LogInService`'s.
public struct AccountService: Sendable {
    private let stores: Stores
    private let confirmation: PasswordConfirmation
    private let throttle: LoginThrottle
    private let authenticator: Authenticator
    private let memberships: MembershipCache
    private let sprints: SprintService
    private let secret: BallotSecret
    private let clock: WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - secrets: for the counts of failed log-ins, and for receipts, which only their owner's id and it lead to.
    ///   - authenticator: told when an account is gone, so that this process knows at once; `memberships` likewise.
    public init(
        stores: Stores, secrets: Secrets, hasher: PasswordHasher, authenticator: Authenticator,
        memberships: MembershipCache, sprints: SprintService, clock: WallClock, logger: Logger
    ) {
        self.stores = stores
        confirmation = PasswordConfirmation(stores: stores, secrets: secrets, hasher: hasher, clock: clock)
        throttle = LoginThrottle(sessions: stores.sessions, secret: secrets.jwt)
        self.authenticator = authenticator
        self.memberships = memberships
        self.sprints = sprints
        secret = secrets.ballot
        self.clock = clock
        self.logger = logger
    }

    /// The caller's account.
    /// - Throws: `AppError.unauthenticated` if it is gone.
    public func account(of principal: Principal) async throws -> User {
        guard let user = try await stores.users.find(id: principal.userID) else { throw AppError.sessionEnded }
        return user
    }

    /// Changes what `change` names.
    /// - Returns: the account as it is now.
    /// - Throws: `AppError`: `refused` for a language there is none of, `notFound` for a team the caller is not in,
    ///   `unauthenticated` if the account is gone.
    public func change(_ change: AccountChange, by principal: Principal) async throws -> User {
        if let locale = change.locale, MailLocale(rawValue: locale) == nil {
            let known = MailLocale.allCases.map(\.rawValue).joined(separator: ", ")
            throw AppError(.refused, "There is no such language here. There are: \(known).", reason: "no-such-language")
        }
        if let teamID = change.defaultTeamID,
            try await stores.teams.membership(of: principal.userID, in: teamID) == nil
        {
            throw AppError.noSuchTeam
        }
        let user = try await account(of: principal)
        try await stores.users.update(
            id: user.id,
            UserUpdate(
                defaultTeamID: change.defaultTeamID, locale: change.locale, notifications: change.notifications))
        return try await account(of: principal)
    }

    /// Everything that is stored about the caller.
    /// - Throws: `AppError.unauthenticated` if the account is gone.
    public func export(by principal: Principal) async throws -> DataExport {
        let user = try await account(of: principal)
        let teams = try await stores.teams.teams(of: user.id)
        let tokens = try await stores.tokens.list(subject: user.id.description)
        let failures = try await throttle.failures(of: user)
        return DataExport(
            exported: clock.now, user: user, teams: teams,
            // The distant past: one that expired but was not removed yet is stored too.
            sessions: try await stores.sessions.list(userID: user.id, at: .distantPast),
            presentSession: principal.sessionID,
            identities: try await stores.identities.list(userID: user.id),
            invitation: try await stores.invitations.find(email: user.email),
            registration: try await stores.registrations.find(email: user.email),
            tokens: tokens, failures: failures, jobs: try await stores.jobs.list(naming: user.id),
            votedIn: try await sprintsVotedIn(by: user.id))
    }

    /// Deletes the caller's account and everything personal for good. Tallies and feedback stay: nothing in them is
    /// anybody's.
    ///
    /// Receipts go last, and must: while there is a session, a removed one would be a second vote. Should the process die
    /// before they are gone, those that are left lead to nobody any more, whoever has the secret: they are made from
    /// the account's random id, and that is stored nowhere then.
    /// - Parameter proof: how the caller showed that it is them.
    /// - Throws: what `PasswordConfirmation.confirm` throws; `AppError.conflict` (`last-admin`, `last-lead`) telling what
    ///   to do first; then nothing was deleted.
    public func delete(_ principal: Principal, proof: DeletionProof) async throws {
        let user: User
        switch proof {
        case .password(let password): user = try await confirmation.confirm(principal, password: password)
        case .token: user = try await account(of: principal)
        }
        let teams = try await stores.teams.teams(of: user.id).map(\.team.id)
        do {
            try await stores.users.delete(id: user.id)
        } catch let error as AppError where error.code == .notFound {
            // Another request of theirs was faster.
            throw AppError.sessionEnded
        }
        authenticator.forgetAll(of: user.id)
        for teamID in teams { memberships.forget(user.id, in: teamID) }
        await removeTraces(of: user, in: teams)
    }

    /// What is left once the user is gone. Each step counts for itself: one that fails keeps no other from its work, and
    /// no answer from being true, for the account is deleted.
    private func removeTraces(of user: User, in teams: [Team.ID]) async {
        await attempt("receipts") { try await removeReceipts(of: user.id) }
        await attempt("jobs") { try await stores.jobs.deleteAll(naming: user.id) }
        await attempt("failed log-ins") { try await throttle.forgetAll(of: user) }
        await attempt("invitation") { try await withdrawInvitation(to: user.email) }
        await attempt("registration") {
            guard let registration = try await stores.registrations.find(email: user.email) else { return }
            try await stores.tokens.deleteAll(purpose: .registration, subject: registration.id.description)
            try await stores.registrations.delete(id: registration.id)
        }
        // After the receipts: with one member less, all who are left may have voted.
        await attempt("complete sprints") { try await closeCompleteSprints(of: teams) }
    }

    private func attempt(_ step: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.warning(
                "A step after the deletion of an account failed",
                metadata: ["step": "\(step)", "error.type": "\(type(of: error))"])
        }
    }

    private func withdrawInvitation(to email: String) async throws {
        guard let invitation = try await stores.invitations.find(email: email) else { return }
        try await stores.tokens.deleteAll(purpose: .invitation, subject: invitation.id.description)
        _ = try await stores.invitations.delete(id: invitation.id)
    }

    private func closeCompleteSprints(of teams: [Team.ID]) async throws {
        for teamID in teams {
            for sprint in try await sprints.openSprints(of: teamID) {
                try await sprints.closeIfEveryoneVoted(sprint.key)
            }
        }
    }
}

// MARK: - Receipts

extension AccountService {
    private func removeReceipts(of userID: User.ID) async throws {
        try await forEachTeam { team in
            let keys = try await stores.sprints.keys(teamID: team.id)
            try await stores.ballots.remove(keys.map { Receipt(secret: secret, sprint: $0, userID: userID) })
        }
    }

    private func sprintsVotedIn(by userID: User.ID) async throws -> [(team: Team, sprint: Sprint.Key)] {
        var votedIn: [(team: Team, sprint: Sprint.Key)] = []
        try await forEachTeam { team in
            let keys = try await stores.sprints.keys(teamID: team.id)
            let receipts = keys.map { Receipt(secret: secret, sprint: $0, userID: userID) }
            // Most teams are not theirs: one read tells.
            guard try await stores.ballots.count(of: receipts) > 0 else { return }
            for (key, receipt) in zip(keys, receipts) where try await stores.ballots.contains(receipt) {
                votedIn.append((team, key))
            }
        }
        return votedIn
    }

    /// All teams there are, since somebody may have left one they voted in, and where they were is kept nowhere.
    private func forEachTeam(_ body: (Team) async throws -> Void) async throws {
        var page = try await stores.teams.list(after: nil, limit: Self.pageSize)
        while let last = page.last {
            for team in page { try await body(team) }
            page = try await stores.teams.list(after: UserName.folded(last.name), limit: Self.pageSize)
        }
    }

    /// Teams per read.
    private static let pageSize = 100
}

/// What to change of one's own account; `nil` leaves a value as it is.
public struct AccountChange: Sendable {
    /// Language of mails and pages, `en` or `de`; not yet validated.
    public let locale: String?
    /// New wishes, in place of all earlier ones.
    public let notifications: NotificationSettings?
    /// The team the classic routes mean; one of the user's own.
    public let defaultTeamID: Team.ID?

    /// Names what to change.
    public init(
        locale: String? = nil, notifications: NotificationSettings? = nil, defaultTeamID: Team.ID? = nil
    ) {
        self.locale = locale
        self.notifications = notifications
        self.defaultTeamID = defaultTeamID
    }
}

/// How somebody shows that it is they who want their account deleted.
public enum DeletionProof: Sendable {
    /// With their password, or without one by a log-in of just now.
    case password(String?)
    /// With nothing but their token: the first clients send no more, and ask their user twice.
    case token
}
