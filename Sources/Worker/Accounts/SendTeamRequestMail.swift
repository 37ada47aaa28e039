import Domain
import Mail
import Services
import Storage

/// Tells an administrator that a person has no team. Sends nothing if the person has one by now, or either account was
/// deleted or disabled, or mails do not reach the administrator.
struct SendTeamRequestMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .teamRequest }

    func run(_ context: JobContext) async throws {
        let payload = try context.parameters(as: TeamRequestMailPayload.self)
        guard let admin = try await store.user(payload.adminID), admin.isActiveAdmin, admin.addressFault == nil,
            let person = try await store.user(payload.userID), !person.isDisabled,
            try await store.read({ try $0.memberships(of: payload.userID) }).isEmpty
        else { return }
        let mail = TeamRequestMail(
            userName: admin.name, personName: person.shownName, personEmail: person.email,
            link: "\(mails.publicURL)/admin/people/\(person.id)")
        try await mails.send(mail, to: admin.email, locale: admin.locale, in: context)
    }
}
