public import ArgumentParser
public import Shared

extension MailLocale: ExpressibleByArgument {}

/// `user invite EMAIL`
struct UserInviteCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Invite somebody by e-mail.",
        discussion: "The worker sends a mail with a link, under which they choose name and password.")

    @Argument(help: "E-mail address.")
    var email: String
    @Option(help: "Name of the team they will be in.")
    var team: String?
    @Option(help: "What they may do in the installation: admin, member or guest.")
    var role: User.Role = .member
    @Flag(help: "Make them a lead of the team.")
    var lead = false
    @Option(help: "Language of the mail: en or de.")
    var locale: MailLocale = .english

    func validate() throws {
        if lead, team == nil { throw ValidationError("--lead needs --team.") }
    }

    func run(in context: CommandContext) async throws {
        let found: Team?
        if let team {
            found = try await context.teams.find(name: team, by: .operator)
        } else {
            found = nil
        }
        let outcome = try await context.invitations.invite(
            NewInvitation(
                email: try EmailAddress(email), role: role, teamID: found?.id, teamRole: lead ? .lead : .member,
                locale: locale),
            by: .operator)
        let place = found.map { lead ? " as a lead of \($0.name)" : " to \($0.name)" } ?? ""
        switch outcome {
        case .invited(let invitation):
            context.output("Invited \(invitation.email), \(role.rawValue)\(place). The worker sends the mail.")
        case .addedToTeam:
            context.output("\(email) has an account: added\(place), no mail.")
        case .alreadyAUser:
            context.output("\(email) has an account already. Nothing changed.")
        }
    }
}
