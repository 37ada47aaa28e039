/// Somebody in a team, with their account.
public struct TeamMember: Hashable, Sendable {
    /// The account.
    public let user: User
    /// What they may do in the team.
    public let role: Membership.Role

    /// A user in a team.
    public init(user: User, role: Membership.Role) {
        self.user = user
        self.role = role
    }
}

/// Who is in a team, by their ids: what the pages and the API show and change.
extension TeamService {
    /// As `members`, with their accounts, in order of their names.
    /// - Throws: `AppError.notFound`.
    public func people(of teamID: Team.ID, by caller: Caller) async throws -> [TeamMember] {
        let memberships = try await members(of: teamID, by: caller)
        let accounts = try await users.list(ids: memberships.map(\.userID))
        let roles = Dictionary(memberships.map { ($0.userID, $0.role) }) { first, _ in first }
        return
            accounts
            .compactMap { user in roles[user.id].map { TeamMember(user: user, role: $0) } }
            .sorted { UserName.folded($0.user.name) < UserName.folded($1.user.name) }
    }

    /// Makes a member a lead, or a lead a member.
    ///
    /// Nobody makes themselves a lead: it may open texts to them that were written for the leads of that time. A lead may
    /// step down while there is another one.
    ///
    /// A role that somebody has already is not written: it would give back what another lead takes at the same moment.
    /// - Throws: `AppError`: `notFound` for the team, and for somebody who is not in it (`no-such-user`), `forbidden`,
    ///   `refused` (`own-role`), `conflict` (`only-lead`; `changed-meanwhile` if the caller has just ceased to manage the
    ///   team, or the member has another role by now).
    public func setRole(
        _ role: Membership.Role, of userID: User.ID, in teamID: Team.ID, by caller: Caller
    ) async throws -> TeamMember {
        let member = try await managedMember(userID, of: teamID, by: caller)
        guard member.role != role else { return member }
        guard caller != .user(userID) || role != .lead else {
            throw AppError(
                .refused, "Nobody makes themselves a lead. Please ask another lead or an administrator.",
                reason: "own-role")
        }
        try await teams.setRole(role, insteadOf: member.role, of: userID, in: teamID, by: caller)
        memberships?.forget(userID, in: teamID)
        return TeamMember(user: member.user, role: role)
    }

    /// Removes somebody from the team. What they voted stays in its sums.
    /// - Throws: `AppError`: `notFound` for the team, and for somebody who is not in it (`no-such-user`), `forbidden`,
    ///   `conflict` (`only-lead`) while there are other members, and in any case for everybody but the lead themself;
    ///   `conflict` (`changed-meanwhile`) if the caller has just ceased to manage the team.
    public func removeMember(_ userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws {
        _ = try await managedMember(userID, of: teamID, by: caller)
        try await teams.remove(userID: userID, from: teamID, by: caller)
        memberships?.forget(userID, in: teamID)
    }

    /// Somebody the caller may manage: a guest who leads sees, and so manages, nobody but themselves.
    private func managedMember(
        _ userID: User.ID, of teamID: Team.ID, by caller: Caller
    ) async throws -> TeamMember {
        try await requireManager(caller, of: teamID)
        guard let role = try await members(of: teamID, by: caller).first(where: { $0.userID == userID })?.role,
            let user = try await users.find(id: userID)
        else { throw AppError.notInTeam }
        return TeamMember(user: user, role: role)
    }
}
