import Domain
import Mail
import Services
import Storage

/// Sends the result of a sprint to one member. Sends nothing to a user who was disabled, has left the team or no longer
/// wants it, or whose address takes no mails.
struct SendResultMail: MailJobHandler {
    let stores: Stores
    let writer: ResultMailWriter
    let mails: MailSender

    var mailKind: MailJobKind { .result }

    func run(_ context: JobContext) async throws {
        let payload = try context.parameters(as: ResultMailPayload.self)
        let key = payload.sprint.key
        guard let user = try await stores.user(payload.userID), !user.isDisabled,
            user.takesResultMails,
            let membership = try await stores.membership(of: user.id, in: key.teamID),
            let team = try await stores.team(key.teamID),
            let record = try await stores.sprint(key),
            let result = try await writer.result(of: record, for: membership, in: team, locale: user.locale)
        else { return }
        let link = "\(mails.publicURL)/teams/\(team.id)/sprints/\(record.sprint.label)"
        try await mails.send(
            ResultsMail(userName: user.shownName, teamName: team.name, result: result, link: link), to: user,
            in: context)
    }
}
