import Services

/// The forms of the pages on which a team is managed.
typealias ManageForms = PageForms<ManageNotice>

/// Success messages of a team's management pages.
enum ManageNotice: String, FormNotice {
    case settings
    case reminders
    case test
    case quietDays = "quiet-days"
    case quietDayRemoved = "quiet-day-removed"
    case experiment
    case experimentEnded = "experiment-ended"
    case role
    case removed
    case mailAgain = "mail-again"
    case invited
    case resent
    case withdrawn
    case unshared
    case message

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

    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .settings: words.text("teamSettings.done")
        case .reminders: words.text("teamReminders.done")
        case .test: words.text("teamReminders.testDone")
        case .quietDays: words.text("quietDays.done")
        case .quietDayRemoved: words.text("quietDays.removed")
        case .experiment: words.text("experiments.done")
        case .experimentEnded: words.text("experiments.ended")
        case .role: words.text("members.roleDone")
        case .removed: words.text("members.removed")
        case .mailAgain: words.text("addressFault.lifted")
        case .invited: words.text("invite.done")
        case .resent: words.text("invite.resent")
        case .withdrawn: words.text("invite.withdrawn")
        case .unshared: words.text("share.ended")
        case .message: words.text("teamMessages.done")
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

    /// - Parameter address: of the page.
    init(_ visit: PageVisit, _ team: Team, address: SitePath) {
        overview = .management(of: team.id)
        self.address = address
        teamName = team.name
        done = visit.done
        problem = visit.problem
    }

    init(overview: SitePath, address: SitePath, teamName: String, done: String?, problem: FormProblem?) {
        self.overview = overview
        self.address = address
        self.teamName = teamName
        self.done = done
        self.problem = problem
    }
}

/// An option of a form field.
struct ManageChoice: Sendable {
    let value: String
    let label: String
    let isChosen: Bool

    init(_ value: String, _ label: String, isChosen: Bool) {
        self.value = value
        self.label = label
        self.isChosen = isChosen
    }
}
