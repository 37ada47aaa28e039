import Services

/// The forms of the administration.
typealias AdminForms = PageForms<AdminNotice>

/// Success messages of the administration's pages.
enum AdminNotice: String, FormNotice {
    case role
    case email
    case disabled
    case enabled
    case sessionsEnded = "sessions-ended"
    case passwordMail = "password-mail"
    case mailAgain = "mail-again"
    case deleted
    case invited
    case alreadyMember = "already-a-member"
    case alreadyUser = "already-a-user"
    case resent
    case withdrawn
    case teamAdded = "team-added"
    case teamDeleted = "team-deleted"
    case jobRestarted = "job-restarted"
    case jobDropped = "job-dropped"

    /// Messages about one person appear on that person's page, see `AdminUserPageController`.
    func page(for visit: PageVisit) -> SitePath {
        switch self {
        case .role, .email, .disabled, .enabled, .sessionsEnded, .passwordMail, .mailAgain, .deleted:
            .adminPeople
        case .invited, .alreadyMember, .alreadyUser, .resent, .withdrawn: .adminInvitations
        case .teamAdded, .teamDeleted: .adminTeams
        case .jobRestarted, .jobDropped: .adminJobs
        }
    }

    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .role: words.text("adminPeople.roleDone")
        case .email: words.text("adminPeople.emailDone")
        case .disabled: words.text("adminPeople.disabledDone")
        case .enabled: words.text("adminPeople.enabledDone")
        case .sessionsEnded: words.text("adminPeople.sessionsDone")
        case .passwordMail: words.text("adminPeople.passwordDone")
        case .mailAgain: words.text("addressFault.lifted")
        case .deleted: words.text("adminPeople.deletedDone")
        case .invited: words.text("adminInvitations.done")
        case .alreadyMember: words.text("adminInvitations.alreadyMember")
        case .alreadyUser: words.text("adminInvitations.alreadyUser")
        case .resent: words.text("adminInvitations.resent")
        case .withdrawn: words.text("adminInvitations.withdrawn")
        case .teamAdded: words.text("adminTeams.done")
        case .teamDeleted: words.text("adminTeams.deleted")
        case .jobRestarted: words.text("adminJobs.restarted")
        case .jobDropped: words.text("adminJobs.dropped")
        }
    }
}
