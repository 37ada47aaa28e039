import Domain
import Services

/// The display name of a job's kind. Most kinds are defined in the worker.
struct JobName: Sendable {
    let kind: String

    /// In the page's language; an unknown kind is shown by its code name.
    func text(_ words: LocalizedTexts) -> String {
        switch kind {
        case MailJobKind.passwordReset.rawValue: words.text("adminJobs.mailPasswordReset")
        case MailJobKind.passwordChanged.rawValue: words.text("adminJobs.mailPasswordChanged")
        case MailJobKind.emailChange.rawValue: words.text("adminJobs.mailEmailChange")
        case MailJobKind.emailChanged.rawValue: words.text("adminJobs.mailEmailChanged")
        case MailJobKind.identityLinked.rawValue: words.text("adminJobs.mailIdentityLinked")
        case MailJobKind.invitation.rawValue: words.text("adminJobs.mailInvitation")
        case MailJobKind.registration.rawValue: words.text("adminJobs.mailRegistration")
        case MailJobKind.teamRequest.rawValue: words.text("adminJobs.mailTeamRequest")
        case MailJobKind.result.rawValue: words.text("adminJobs.mailResult")
        case MailJobKind.test.rawValue: words.text("adminJobs.mailTest")
        case BackupFolder.jobKind: words.text("adminJobs.makeBackup")
        case "planResultMails", MailJobs.resultsKind: words.text("adminJobs.planResultMails")
        case AccountTraces.jobKind: words.text("adminJobs.removeAccountTraces")
        case PictureRemoval.jobKind: words.text("adminJobs.removePicture")
        case "deliver", "deliverBatch": words.text("adminJobs.deliver")
        case "planReminders": words.text("adminJobs.planReminders")
        case "closeSprints": words.text("adminJobs.closeSprints")
        case "createBallotKeys": words.text("adminJobs.createBallotKeys")
        case "measureExperiments": words.text("adminJobs.measureExperiments")
        case let kind where kind.hasPrefix("delete"): words.text("adminJobs.tidy")
        default: kind
        }
    }
}
