import ArgumentParser
package import Domain
import Services

extension MailLocale: ExpressibleByArgument {}

/// `user invite EMAIL`
struct UserInviteCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Invite someone by e-mail.",
        discussion: """
            The worker sends an e-mail with a link; there they choose a name and a password. Someone who already has \
            an account is asked whether they want to join the team.
            """)

    @Argument(help: "E-mail address.")
    var email: String
    @OptionGroup
    var place: MembershipOptions
    @Option(help: "Language of the e-mail, such as de.")
    var locale: MailLocale = .english

    func run(in context: CommandContext) async throws {
        let team = try await place.team(in: context)
        let outcome = try await context.invitations.invite(
            NewInvitation(
                email: try EmailAddress(email), role: place.role, teamID: team?.id, teamRole: place.teamRole,
                locale: locale),
            by: .operator)
        switch outcome {
        case .invited(let invitation):
            context.output("Invited \(invitation.email)\(place.report(team)). The worker sends the e-mail.")
        case .alreadyAMember:
            context.output("\(email) is already in the team. Nothing changed.")
        case .alreadyAUser:
            context.output("\(email) already has an account. Nothing changed.")
        }
    }
}
