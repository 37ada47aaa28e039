import Ports
import Services
import Storage

/// Creates the features of the server. Each one gets the services that it uses; what several of them use exists once.
struct AppWiring {
    let environment: AppEnvironment
    let users: UserWiring
    let teams: TeamWiring
    let pages: PageServices

    var stores: Stores { environment.stores }
    var secrets: Secrets { environment.secrets }
    var settings: Settings { environment.settings }
    var clock: WallClock { environment.clock }
    var publicURL: String { settings.server.publicURL }
    /// For every answer of the API that has a sentence.
    var answers: AnswerLanguage { AnswerLanguage(texts: environment.files.texts, accounts: users.accounts) }
    /// For the routes of the first clients.
    var classicTeams: ClassicTeams {
        ClassicTeams(accounts: users.accounts, teams: teams.teams, memberships: users.memberships)
    }

    /// - Parameter timing: asked before a sprint starts or ends by the clock.
    /// - Throws: an error of the password hash that unknown accounts are compared with.
    init(_ environment: AppEnvironment, timing: SprintTiming) throws {
        self.environment = environment
        users = try UserWiring(environment)
        teams = TeamWiring(environment, memberships: users.memberships, timing: timing)
        pages = PageServices(
            renderer: environment.files.pages,
            viewers: ViewerFinder(
                accounts: users.accounts, teams: teams.teams, browsers: users.browsers, pictures: users.pictureLinks,
                sendsToBrowsers: environment.settings.push.webPush != nil))
    }
}
