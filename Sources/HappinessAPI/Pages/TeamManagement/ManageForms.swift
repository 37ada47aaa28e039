import Domain

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

    func page(for visit: PageVisit) throws -> SitePath {
        let team = try visit.visitedTeam().team.id
        return switch self {
        case .settings: .teamSettings(of: team)
        case .reminders, .test, .quietDays, .quietDayRemoved: .reminders(of: team)
        case .experiment, .experimentEnded: .experiments(of: team)
        case .role, .removed, .mailAgain, .invited, .resent, .withdrawn, .unshared:
            .members(of: team)
        case .message: .messages(of: team)
        }
    }
}

/// What all of a team's management pages show.
struct ManageHead: Sendable {
    let overview: SitePath
    /// The page itself, for its forms.
    let address: SitePath
    let teamName: String
    let done: String?
    let problem: FormProblem?
}

extension ManageHead {
    /// - Parameter address: of the page.
    init(_ visit: PageVisit, _ team: Team, address: SitePath) {
        overview = .management(of: team.id)
        self.address = address
        teamName = team.name
        done = visit.done
        problem = visit.problem
    }
}
