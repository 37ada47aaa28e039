import Services

/// The forms of the pages on which a team is managed.
typealias ManageForms = PageForms<ManageNotice>

/// Success messages of a team's management pages.
enum ManageNotice: String, FormNotice {
    case settings = "teamSettings.done"
    case reminders = "teamReminders.done"
    case test = "teamReminders.testDone"
    case quietDays = "quietDays.done"
    case quietDayRemoved = "quietDays.removed"
    case experiment = "experiments.done"
    case experimentEnded = "experiments.ended"
    case role = "members.roleDone"
    case removed = "members.removed"
    case mailAgain = "addressFault.lifted"
    case invited = "invite.done"
    case resent = "invite.resent"
    case withdrawn = "invite.withdrawn"
    case unshared = "share.ended"
    case message = "teamMessages.done"

    func page(for visit: PageVisit) throws -> String {
        let team = try visit.visitedTeam().team.id
        return switch self {
        case .settings: TeamSettingsPageController.path(of: team)
        case .reminders, .test, .quietDays, .quietDayRemoved: TeamReminderPageController.path(of: team)
        case .experiment, .experimentEnded: TeamExperimentPageController.path(of: team)
        case .role, .removed, .mailAgain, .invited, .resent, .withdrawn, .unshared:
            TeamMemberPageController.path(of: team)
        case .message: TeamMessagePageController.path(of: team)
        }
    }
}

/// What all of a team's management pages show.
struct ManageHead: Sendable {
    /// Path of the overview.
    let overview: String
    /// Path of the page itself, for its forms.
    let address: String
    let teamName: String
    let done: String?
    let problem: FormProblem?

    /// - Parameter address: path of the page.
    init(_ visit: PageVisit, _ team: Team, address: String) {
        overview = TeamOverviewPageController.path(of: team.id)
        self.address = address
        teamName = team.name
        done = visit.done
        problem = visit.problem
    }

    init(overview: String, address: String, teamName: String, done: String?, problem: FormProblem?) {
        self.overview = overview
        self.address = address
        self.teamName = teamName
        self.done = done
        self.problem = problem
    }
}
