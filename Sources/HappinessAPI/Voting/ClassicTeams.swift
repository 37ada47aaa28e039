import Shared

/// The team the first clients mean: they know of one only, the user's default team.
struct ClassicTeams: Sendable {
    let stores: Stores
    let memberships: MembershipCache

    /// A team the user is in: of a removal and a change of default that cross each other, the change may come last.
    /// - Throws: `AppError.noDefaultTeam` (409) if the user has none.
    func defaultTeam(of principal: Principal) async throws -> Team {
        guard let user = try await stores.users.find(id: principal.userID), let teamID = user.defaultTeamID,
            try await memberships.membership(of: user.id, in: teamID) != nil,
            let team = try await stores.teams.find(id: teamID)
        else { throw AppError.noDefaultTeam }
        return team
    }
}
