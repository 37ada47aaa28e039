import Domain

// Each address is written out, so that a search for it finds the route, too. A test compares them with the routes.

// MARK: - Pages for everyone

extension SitePath {
    static let login = SitePath(path: "/login")
    static let register = SitePath(path: "/register")
    static let forgotPassword = SitePath(path: "/forgot-password")
    static let offline = SitePath(path: "/offline")
    /// Who could find out how a member voted.
    static let trust = SitePath(path: "/trust")
    /// The notice about personal data.
    static let privacyNotice = SitePath(path: "/trust/notice")

    /// Who could find out how a member of this team voted.
    static func trust(of team: Team.ID) -> SitePath { trust.adding("team", team.description) }

    /// Where the login through an identity provider begins.
    static func login(through provider: String) -> SitePath { SitePath(path: "/login/\(provider)") }

    /// Where an identity provider sends the browser back to.
    static func loginCallback(of provider: String) -> SitePath { SitePath(path: "/login/\(provider)/callback") }

    /// The page behind a share link.
    static func wallboard(_ token: String) -> SitePath { SitePath(path: "/shared/\(token)") }

    /// A file that pages refer to.
    static func asset(_ name: String, version: String) -> SitePath { SitePath(path: "/assets/v/\(version)/\(name)") }
}

// MARK: - Pages behind the login

extension SitePath {
    /// Where a user continues after logging in next to the page that keeps their form.
    static let keptForm = SitePath(path: "/kept-form")
    static let ownPassword = SitePath(path: "/own-password")
    static let settings = SitePath(path: "/settings")
    static let nameSettings = SitePath(path: "/settings/name")
    static let pictureSettings = SitePath(path: "/settings/picture")
    static let passwordSettings = SitePath(path: "/settings/password")
    static let emailSettings = SitePath(path: "/settings/email")
    static let sessionSettings = SitePath(path: "/settings/sessions")
    static let notificationSettings = SitePath(path: "/settings/notifications")
    /// Where an account is deleted by its owner, after a question.
    static let accountDeletion = SitePath(path: "/settings/delete")

    /// A team's live view.
    static func live(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)") }

    /// The page on which a team's members vote.
    static func vote(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/vote") }

    /// The form of a plain ballot.
    static func plainVote(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/vote/plain") }

    static func history(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/history") }

    static func sprint(_ label: SprintLabel, of team: Team.ID) -> SitePath {
        SitePath(path: "/teams/\(team)/sprints/\(label)")
    }

    /// The board of a team's actions.
    static func actions(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/actions") }

    static func action(_ id: Action.ID, of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/actions/\(id)") }

    /// The form for a new action.
    static func newAction(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/actions/new") }
}

// MARK: - Management of a team

extension SitePath {
    /// Where leads and administrators manage a team.
    static func management(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage") }

    static func teamSettings(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/settings") }

    static func members(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/members") }

    static func memberRole(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/members/role") }

    static func memberRemoval(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/members/remove") }

    /// The form after which a member's address gets mails again.
    static func memberMail(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/members/mail-again") }

    static func reminders(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/reminders") }

    static func messages(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/messages") }

    static func experiments(of team: Team.ID) -> SitePath { SitePath(path: "/teams/\(team)/manage/experiments") }

    static func experiment(_ id: ReminderExperiment.ID, of team: Team.ID) -> SitePath {
        SitePath(path: "/teams/\(team)/manage/experiments/\(id)")
    }
}

// MARK: - Administration

extension SitePath {
    static let admin = SitePath(path: "/admin")
    /// The form that sends the admin a test mail.
    static let adminTestMail = SitePath(path: "/admin/test-mail")
    /// The form that has a backup made.
    static let adminBackup = SitePath(path: "/admin/backup")
    static let adminPeople = SitePath(path: "/admin/people")
    static let adminInvitations = SitePath(path: "/admin/invitations")
    static let newInvitation = SitePath(path: "/admin/invitations/new")
    static let invitationImport = SitePath(path: "/admin/invitations/import")
    static let adminTeams = SitePath(path: "/admin/teams")
    static let adminDeliveries = SitePath(path: "/admin/deliveries")
    static let adminJobs = SitePath(path: "/admin/jobs")
    static let adminErrors = SitePath(path: "/admin/errors")
    static let adminTexts = SitePath(path: "/admin/texts")
    static let adminStatus = SitePath(path: "/admin/status")

    static func adminPerson(_ id: User.ID) -> SitePath { SitePath(path: "/admin/people/\(id)") }

    /// The form that deletes a team.
    static func teamDeletion(of team: Team.ID) -> SitePath { SitePath(path: "/admin/teams/\(team)/delete") }

    static func adminError(_ id: ClientErrorGroup.ID) -> SitePath { SitePath(path: "/admin/errors/\(id)") }

    static func adminText(_ key: TextKey) -> SitePath {
        SitePath(path: "/admin/texts/\(key.language.rawValue)/\(key.name)")
    }
}

// MARK: - The API

extension SitePath {
    /// The stream of a team's publications.
    static func events(of team: Team.ID) -> SitePath { SitePath(path: "/api/v1/teams/\(team)/events") }

    static func historyFile(of team: Team.ID) -> SitePath { SitePath(path: "/api/v1/teams/\(team)/history.csv") }

    static func chart(of team: Team.ID) -> SitePath { SitePath(path: "/api/v1/teams/\(team)/chart.svg") }

    /// The chart behind a share link.
    static func sharedChart(_ token: String) -> SitePath { SitePath(path: "/api/v1/shared/\(token)/chart.svg") }

    /// The actions of a team, for the script of the board.
    static func actionList(of team: Team.ID) -> SitePath { SitePath(path: "/api/v1/teams/\(team)/actions") }

    /// The count of a closed sprint.
    static func count(_ label: SprintLabel, of team: Team.ID, _ token: CountToken) -> SitePath {
        SitePath(path: "/api/v1/counts/\(team)/\(label)/\(token)")
    }

    /// The team in the path of a form for a ballot; `nil` for any other path.
    static func team(ofVoteAt path: String) -> Substring? {
        // Version 0.1.0 had the form at the first of these paths.
        path.wholeMatch(of: /\/teams\/([^\/]+)\/vote(?:\/plain)?\/?/)?.1
    }
}
