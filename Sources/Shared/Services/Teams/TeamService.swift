package import Domain
import Foundation
package import Ports
package import Storage

/// Teams, their settings, members and share links: who may do what, and what is valid.
///
/// Leads manage their team, admins and the operator every team. To any other caller a team they are not in does not
/// exist.
package struct TeamService: Sendable {
    let store: any Store
    private let names: NameQuota
    let secret: BallotSecret
    private let clock: WallClock
    let memberships: MembershipCache?
    let mailboxes: SharedMailboxes
    private let onSettingsChange: @Sendable (Team.ID) -> Void

    /// - Parameters:
    ///   - secret: the key for receipts.
    ///   - memberships: told of changes, so that this process knows them at once.
    ///   - onSettingsChange: called when a team's settings have changed.
    package init(
        stores: Stores, secret: BallotSecret, memberships: MembershipCache? = nil, clock: WallClock = .system,
        onSettingsChange: @escaping @Sendable (Team.ID) -> Void = { _ in }
    ) {
        store = stores.rows
        names = NameQuota(kind: "team", store: stores.rows, clock: clock)
        self.secret = secret
        self.clock = clock
        self.memberships = memberships
        mailboxes = SharedMailboxes(stores: stores, subaddressing: secret.subaddressing, clock: clock)
        self.onSettingsChange = onSettingsChange
    }

    /// Creates a team without members. An admin who names no time zone gets that of their default team; the operator
    /// reads which one the team has.
    /// - Throws: `AppError`: `forbidden` unless the caller is an admin or the operator, `unprocessable` for an invalid name
    ///   or setting (`no-such-time-zone` if nobody chose one), `conflict` (`name-taken`).
    package func add(
        name: String, settings change: TeamSettingsChange = TeamSettingsChange(), by caller: Caller
    ) async throws -> Team {
        try await store.requireAdmin(caller)
        let name = try TeamName(name).text
        var change = change
        if case .user(let userID) = caller, change.timeZone == nil { change.timeZone = try await ownZone(of: userID) }
        let team = Team(name: name, settings: try change.applied(to: TeamSettings()))
        try await store.transaction { try $0.add(team, reminders: .ofNewTeam) }
        return team
    }

    /// The time zone of a user's default team.
    /// - Throws: `AppError.unprocessable` (`no-such-time-zone`) without such a team: a wrong zone moves every reminder and
    ///   the ends of all sprints, so none is guessed.
    private func ownZone(of userID: User.ID) async throws -> String {
        guard let teamID = try await store.user(userID)?.defaultTeamID, let team = try await store.team(teamID) else {
            throw AppError(
                .unprocessable, "Please give the time zone in which the team works, such as Europe/Vienna.",
                reason: .noSuchTimeZone)
        }
        return team.settings.timeZone
    }

    /// Teams ordered by case-folded name, for admins and the operator.
    /// - Parameters:
    ///   - search: words of the name (`NameSearch`); blank means every team.
    ///   - after: the name of the last team of the previous page.
    /// - Throws: `AppError.forbidden`.
    package func list(
        matching search: String = "", after: String? = nil, limit: Int = 100, by caller: Caller
    ) async throws -> [Team] {
        try await store.requireAdmin(caller)
        return try await store.read {
            try $0.teams(matching: NameSearch(search), after: after.map(UserName.folded), limit: limit)
        }
    }

    /// Those of these teams that exist, in no particular order, for admins and the operator: supplies names for ids.
    /// - Throws: `AppError.forbidden`.
    package func list(ids: Set<Team.ID>, by caller: Caller) async throws -> [Team] {
        try await store.requireAdmin(caller)
        return try await store.read { try $0.teams(Array(ids)) }
    }

    /// The caller's teams with their role in each, ordered by case-folded name.
    package func list(of principal: Principal) async throws -> [(team: Team, role: Membership.Role)] {
        try await store.read { try $0.teams(of: principal.userID) }
    }

    /// A team; `nil` if there is none. For callers that have checked the membership.
    package func find(id: Team.ID) async throws -> Team? {
        try await store.team(id)
    }

    /// The caller's role in a team; `nil` if they are not in it.
    package func role(of principal: Principal, in teamID: Team.ID) async throws -> Membership.Role? {
        try await store.membership(of: principal.userID, in: teamID)?.role
    }

    /// A team with the caller's permissions in it, for its members and for admins, who need not be in it.
    /// - Throws: `AppError.notFound`.
    package func find(
        _ teamID: Team.ID, by principal: Principal
    ) async throws -> (team: Team, role: Membership.Role?) {
        let role = try await role(of: principal, in: teamID)
        if role == nil { try await requireManager(principal.caller, of: teamID) }
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        return (team, role)
    }

    /// The team with this name, for admins and the operator.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func find(name: String, by caller: Caller) async throws -> Team {
        try await store.requireAdmin(caller)
        guard let team = try await store.read({ try $0.team(name: name) }) else { throw AppError.noSuchTeam }
        return team
    }

    /// Changes settings, and rejects values out of range. A raised threshold applies immediately, everything else from
    /// the next sprint on. A raise that is undone before the next ballot leaves the running sprint unchanged
    /// (`ThresholdRaise`).
    /// - Returns: the resulting settings.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` (`threshold-above-members` for a raise that the team
    ///   cannot reach).
    package func changeSettings(
        of teamID: Team.ID, _ change: TeamSettingsChange, by caller: Caller
    ) async throws -> TeamSettings {
        try await self.change(teamID, settings: change, by: caller).settings
    }

    /// Changes name and settings, all or nothing. The name and a raised threshold apply immediately, everything else
    /// from the next sprint on.
    /// - Parameter name: as typed; `nil` keeps the present one.
    /// - Returns: the team after the change.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable`, `conflict` (`name-taken`), `tooManyRequests`
    ///   (`too-many-names`).
    package func change(
        _ teamID: Team.ID, name: String? = nil, settings change: TeamSettingsChange = TeamSettingsChange(),
        by caller: Caller
    ) async throws -> Team {
        try await updateRules(of: teamID, by: caller) { present throws(AppError) in
            let newName = try name.map { text throws(AppError) in try TeamName(text).text }
            return TeamRules(name: newName ?? present.name, settings: try change.applied(to: present.settings))
        }
    }

    /// Applies an edit based on what a page showed: unedited values keep their current state.
    /// - Returns: the team after the change.
    /// - Throws: as the other `change`, and `AppError.conflict` (`changed-meanwhile`) if another user has changed the
    ///   same value.
    package func change(_ teamID: Team.ID, _ edit: Edit<TeamRules>, by caller: Caller) async throws -> Team {
        try await updateRules(of: teamID, by: caller) { present throws(AppError) in try edit.applied(to: present) }
    }

    /// Changes the current rules: if another change happens between reading and writing, they are read again.
    private func updateRules(
        of teamID: Team.ID, by caller: Caller, _ change: (TeamRules) throws(AppError) -> TeamRules
    ) async throws -> Team {
        try await requireManager(caller, of: teamID)
        while true {
            guard var team = try await store.team(teamID) else { throw AppError.noSuchTeam }
            let rules = try change(team.rules)
            try Self.requireReachable(rules.settings.threshold, in: team)
            if rules.name != team.name { try await takeName(by: caller) }
            if try await store.transaction({ [team] rows in try rows.apply(rules, to: teamID, from: team.rules) }) {
                team.rules = rules
                onSettingsChange(teamID)
                return team
            }
        }
    }

    /// A threshold above the number of members would stop all results of the team. A team without members has none to
    /// lose.
    private static func requireReachable(_ threshold: Int, in team: Team) throws(AppError) {
        guard threshold > team.settings.threshold, (1..<threshold).contains(team.memberCount) else { return }
        let sentence =
            team.memberCount == 1
            ? Sentence("A result can’t need \(threshold) votes: the team has 1 member.")
            : Sentence("A result can’t need \(threshold) votes: the team has \(team.memberCount) members.")
        throw AppError(.unprocessable, sentence, reason: .thresholdAboveMembers)
    }

    /// A rejected name tells leads which other teams exist, so attempts are limited. Admins may list all teams anyway.
    private func takeName(by caller: Caller) async throws {
        guard let userID = caller.userID, try await store.user(userID)?.isActiveAdmin != true else { return }
        try await names.take(by: userID)
    }

    /// Deletes a team with its results, for admins and the operator. Nothing brings it back.
    /// - Parameter name: repeated by the caller, so that no other team is deleted by mistake.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` (`other-team`) if it has another name.
    package func delete(_ teamID: Team.ID, named name: String, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        guard UserName.folded(name) == UserName.folded(team.name) else {
            throw AppError(.unprocessable, "This isn’t the team’s name.", reason: .otherTeam)
        }
        try await store.deleteTeam(teamID, at: clock.now, secret: secret)
        memberships?.forgetAll(of: teamID)
        onSettingsChange(teamID)
    }

    /// Adds a user, given by user name or e-mail address, without their consent. For the operator alone: leads and
    /// admins send invitations, which the user must accept, so they cannot add anyone on their own authority, least of
    /// all themselves.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `conflict` (`already-a-member`, `mailbox-in-team`).
    package func addMember(
        _ login: String, role: Membership.Role = .member, to teamID: Team.ID, by caller: Caller
    ) async throws -> User {
        try await requireManager(caller, of: teamID)
        guard caller == .operator else { throw AppError.notAllowed }
        guard let user = try await store.user(login: login) else { throw AppError.noSuchUser }
        try await store.transaction {
            try $0.add(Membership(teamID: teamID, userID: user.id, role: role), secret: secret)
        }
        memberships?.forget(user.id, in: teamID)
        return user
    }

    /// Removes a user, given by user name or e-mail address. The operator may even remove the only lead.
    /// - Throws: `AppError`: `notFound` also for a user who is not in the team, `forbidden`, `conflict` (`only-lead`).
    package func removeMember(_ login: String, from teamID: Team.ID, by caller: Caller) async throws -> User {
        try await requireManager(caller, of: teamID)
        guard let user = try await store.user(login: login) else { throw AppError.noSuchUser }
        try await store.transaction { try $0.removeMember(user.id, from: teamID, by: caller, secret: secret) }
        memberships?.forget(user.id, in: teamID)
        return user
    }

    /// All members of the team, for its members and those who manage it; a guest sees only themselves.
    /// - Throws: `AppError.notFound`.
    package func members(of teamID: Team.ID, by caller: Caller) async throws -> [Membership] {
        switch try await visibleMembers(of: teamID, to: caller) {
        case .all: return try await store.read { try $0.members(of: teamID) }
        case .own(let membership): return [membership]
        }
    }

    /// Which members of a team a caller sees.
    enum VisibleMembers {
        /// Everyone in the team.
        case all
        /// Only themselves: the caller is a guest.
        case own(Membership)
    }

    /// - Throws: `AppError.notFound`.
    func visibleMembers(of teamID: Team.ID, to caller: Caller) async throws -> VisibleMembers {
        guard case .user(let userID) = caller else { return .all }
        guard let user = try await store.user(userID) else { throw AppError.noSuchTeam }
        if user.role == .admin { return .all }
        guard let own = try await store.membership(of: userID, in: teamID) else { throw AppError.noSuchTeam }
        return user.role == .guest ? .own(own) : .all
    }

    /// Creates a link under which anyone may read the team's publications; it replaces an earlier one.
    ///
    /// For leads alone: an admin who is not in the team may not read its results and so may not share them.
    /// - Returns: the token, 256 random bits as base64url. Only its hash is stored.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func share(_ teamID: Team.ID, by principal: Principal) async throws -> String {
        try await requireLead(principal, of: teamID)
        let token = SecureBytes.random(count: 32).base64URL
        try await store.transaction { try $0.setShareTokenHash(Self.hash(of: token), of: teamID) }
        return token
    }

    /// Invalidates the link.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func unshare(_ teamID: Team.ID, by principal: Principal) async throws {
        try await requireLead(principal, of: teamID)
        try await store.transaction { try $0.setShareTokenHash(nil, of: teamID) }
    }

    /// The team that shares its publications under this token.
    /// - Throws: `AppError.notFound` (`no-such-link`), the same for unknown and revoked tokens.
    package func team(sharedUnder token: String) async throws -> Team {
        // The lookup is by hash, so its duration reveals nothing about the token.
        guard let team = try await store.read({ try $0.team(shareTokenHash: Self.hash(of: token)) }) else {
            throw AppError(.notFound, "This link no longer works.", reason: .noSuchLink)
        }
        return team
    }

    private static func hash(of token: String) -> [UInt8] {
        SecureBytes.sha256(Data(token.utf8))
    }

    func requireManager(_ caller: Caller, of teamID: Team.ID) async throws {
        try await store.requireManager(caller, of: teamID)
    }

    private func requireLead(_ principal: Principal, of teamID: Team.ID) async throws {
        guard let membership = try await store.membership(of: principal.userID, in: teamID) else {
            throw AppError.noSuchTeam
        }
        guard membership.role == .lead else {
            throw AppError(.forbidden, "Only team leads can do this.", reason: .leadsOnly)
        }
    }
}
