import ArgumentParser
import Domain
import Services

/// The team and role of a user whom the operator adds or invites.
struct MembershipOptions: ParsableArguments {
    @Option(help: "Name of the team they will be in.")
    var team: String?
    @Option(help: "Their role in the installation: admin, member or guest.")
    var role: User.Role = .member
    @Flag(help: "Add them as a team lead.")
    var lead = false

    func validate() throws {
        if lead, team == nil { throw ValidationError("--lead needs --team.") }
    }

    /// Their role in the team.
    var teamRole: Membership.Role { lead ? .lead : .member }

    /// The named team; `nil` if no team was named.
    /// - Throws: `AppError.notFound` if no team has this name.
    func team(in context: CommandContext) async throws -> Team? {
        guard let team else { return nil }
        return try await context.teams.find(name: team, by: .operator)
    }

    /// The text after a name in the output: `, member as a lead of Blue`.
    func report(_ team: Team?) -> String {
        let place = team.map { lead ? " as a lead of \($0.name)" : " to \($0.name)" } ?? ""
        return ", \(role.rawValue)\(place)"
    }
}
