/// A member of a team with their account.
package struct TeamMember: Hashable, Sendable {
    /// The account.
    package let user: User
    /// The permissions in the team.
    package let role: Membership.Role

    /// Combines an account with its membership.
    package init(user: User, role: Membership.Role) {
        self.user = user
        self.role = role
    }
}

/// Members by id, for the pages and the API.
extension TeamService {
    /// Like `members`, with their accounts, ordered by name.
    /// - Throws: `AppError.notFound`.
    package func people(of teamID: Team.ID, by caller: Caller) async throws -> [TeamMember] {
        let memberships = try await members(of: teamID, by: caller)
        let accounts = try await users.list(ids: memberships.map(\.userID))
        let roles = Dictionary(memberships.map { ($0.userID, $0.role) }) { first, _ in first }
        return
            accounts
            .compactMap { user in roles[user.id].map { TeamMember(user: user, role: $0) } }
            .sorted { UserName.folded($0.user.shownName) < UserName.folded($1.user.shownName) }
    }

    /// Makes a member a lead, or a lead a member.
    ///
    /// Callers cannot make themselves leads: that might open texts to them that were written for the leads of that
    /// time. A lead may step down while there is another one.
    ///
    /// An unchanged role is not written: that could undo another lead's concurrent change.
    /// - Throws: `AppError`: `notFound` for the team, and for a user who is not in it (`no-such-user`), `forbidden`,
    ///   `refused` (`own-role`), `conflict` (`only-lead`; `changed-meanwhile` if the caller has just ceased to manage
    ///   the team, or the member's role has changed).
    package func setRole(
        _ role: Membership.Role, of userID: User.ID, in teamID: Team.ID, by caller: Caller
    ) async throws -> TeamMember {
        let member = try await managedMember(userID, of: teamID, by: caller)
        guard member.role != role else { return member }
        guard caller != .user(userID) || role != .lead else {
            throw AppError(
                .refused, "You can’t make yourself a lead. Please ask another lead or an admin.",
                reason: "own-role")
        }
        try await teams.setRole(role, insteadOf: member.role, of: userID, in: teamID, by: caller)
        memberships?.forget(userID, in: teamID)
        return TeamMember(user: member.user, role: role)
    }

    /// Removes a member from the team. Their votes stay in its sums.
    /// - Throws: `AppError`: `notFound` for the team, and for a user who is not in it (`no-such-user`), `forbidden`,
    ///   `conflict` (`only-lead`) while there are other members, and for every caller except the lead even if there are
    ///   none; `conflict` (`changed-meanwhile`) if the caller has just ceased to manage the team.
    package func removeMember(_ userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws {
        _ = try await managedMember(userID, of: teamID, by: caller)
        try await teams.remove(userID: userID, from: teamID, by: caller)
        memberships?.forget(userID, in: teamID)
    }

    /// A member whom the caller may manage: a lead who is a guest sees, and so manages, only themselves.
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
