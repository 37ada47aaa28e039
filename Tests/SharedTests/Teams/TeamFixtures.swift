import Domain
import Services
import TestSupport

/// A team with a lead, a member and a guest, plus an administrator and a stranger who are not in it.
struct TeamUsers {
    let team: Team
    let admin: User
    let lead: User
    let member: User
    let guest: User
    let stranger: User

    /// Names differ in case, so that lists show how they are sorted.
    init(_ accounts: Accounts) async throws {
        team = try await accounts.teams.add(name: "Blue", by: .operator)
        admin = try await accounts.addUser("Admin", role: .admin)
        lead = try await accounts.addUser("lead")
        member = try await accounts.addUser("Member")
        guest = try await accounts.addUser("guest", role: .guest)
        stranger = try await accounts.addUser("Stranger")
        _ = try await accounts.teams.addMember("lead", role: .lead, to: team.id, by: .operator)
        for login in ["Member", "guest"] {
            _ = try await accounts.teams.addMember(login, to: team.id, by: .operator)
        }
    }

    func principal(_ user: User) -> Principal {
        Principal(userID: user.id, sessionID: .random())
    }
}
