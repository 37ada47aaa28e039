import Domain
import Mail
import Services
import Storage

/// Sends the link to accept an invitation. Sends nothing if the invitation was withdrawn or accepted meanwhile, or can
/// no longer be accepted.
struct SendInvitationMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .invitation }

    func run(_ context: JobContext) async throws {
        let id = try context.parameters(as: InvitationMailPayload.self).invitationID
        guard let invitation = try await store.read({ try $0.invitation(id) }) else { return }
        let facts = try await store.transaction { try $0.facts(of: invitation) }
        guard facts.rejection(at: context.now) == nil, !facts.isMember else { return }
        let locale = facts.account?.locale ?? invitation.locale
        try await mails.send(
            .invitation, subject: id.description, to: invitation.email, locale: locale, in: context
        ) { link, lifetime in
            InvitationMail(
                inviterName: facts.inviter?.shownName, teamName: facts.team?.name, hasAccount: facts.account != nil,
                link: link, lifetime: lifetime)
        }
    }
}
