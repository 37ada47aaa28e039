import Mail
import Shared

/// Sends the link to accept an invitation. One that was withdrawn or accepted meanwhile brings no mail.
struct SendInvitationMail: MailJobHandler {
    let stores: Stores
    let mails: MailSender

    var mailKind: MailJobKind { .invitation }

    func run(_ context: JobContext) async throws {
        let payload = try context.parameters(as: InvitationMailPayload.self)
        guard let invitation = try await stores.invitations.find(id: payload.invitationID) else { return }
        let inviter = try await inviterName(of: invitation, inviterID: payload.inviterID)
        try await mails.send(
            .invitation, subject: invitation.id.description, to: invitation.email, locale: invitation.locale,
            in: context
        ) { link, lifetime in
            InvitationMail(inviterName: inviter, link: link, lifetime: lifetime)
        }
    }

    /// A person, their team behind them; without either whoever runs the service.
    private func inviterName(of invitation: Invitation, inviterID: User.ID?) async throws -> String {
        var person: String?
        if let inviterID { person = try await stores.users.find(id: inviterID)?.name }
        var team: String?
        if let teamID = invitation.teamID { team = try await stores.teams.find(id: teamID)?.name }
        return switch (person, team) {
        case (let person?, let team?): "\(person) (\(team))"
        case (let name?, nil), (nil, let name?): name
        case (nil, nil): Self.operatorName(MailLocale(tag: invitation.locale))
        }
    }

    private static func operatorName(_ locale: MailLocale) -> String {
        switch locale {
        case .english: "Your administrator"
        case .german: "Deine Administration"
        }
    }
}
