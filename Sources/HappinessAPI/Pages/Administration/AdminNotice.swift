/// The forms of the administration.
typealias AdminForms = PageForms<AdminNotice>

/// Success messages of the administration's pages.
enum AdminNotice: String, FormNotice {
    case role = "adminPeople.roleDone"
    case email = "adminPeople.emailDone"
    case disabled = "adminPeople.disabledDone"
    case enabled = "adminPeople.enabledDone"
    case sessionsEnded = "adminPeople.sessionsDone"
    case passwordMail = "adminPeople.passwordDone"
    case mailAgain = "addressFault.lifted"
    case deleted = "adminPeople.deletedDone"
    case invited = "adminInvitations.done"
    case alreadyAMember = "adminInvitations.alreadyMember"
    case alreadyAUser = "adminInvitations.alreadyUser"
    case resent = "adminInvitations.resent"
    case withdrawn = "adminInvitations.withdrawn"
    case teamAdded = "adminTeams.done"
    case teamDeleted = "adminTeams.deleted"
    case jobRestarted = "adminJobs.restarted"
    case jobDropped = "adminJobs.dropped"
    case testMail = "health.testSent"
    case backup = "health.backupBegun"

    /// Messages about one person appear on that person's page, see `AdminUserPageController`.
    func page(for visit: PageVisit) -> SitePath {
        switch self {
        case .role, .email, .disabled, .enabled, .sessionsEnded, .passwordMail, .mailAgain, .deleted:
            .adminPeople
        case .invited, .alreadyAMember, .alreadyAUser, .resent, .withdrawn: .adminInvitations
        case .teamAdded, .teamDeleted: .adminTeams
        case .jobRestarted, .jobDropped: .adminJobs
        case .testMail, .backup: .admin
        }
    }
}
