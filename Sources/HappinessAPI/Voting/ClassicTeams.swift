import Domain
import Services

/// Finds the team for the first clients, which only know the user's default team.
struct ClassicTeams: Sendable {
    let accounts: AccountService
    let teams: TeamService
    let memberships: MembershipCache

    /// Checks the membership too: when a removal and a change of the default team run concurrently, the change may be
    /// stored last.
    /// - Throws: `AppError.noDefaultTeam` (409) if the user has none.
    func defaultTeam(of principal: Principal) async throws -> Team {
        guard let user = try await accounts.find(principal), let teamID = user.defaultTeamID,
            try await memberships.membership(of: user.id, in: teamID) != nil,
            let team = try await teams.find(id: teamID)
        else { throw AppError.noDefaultTeam }
        return team
    }
}
