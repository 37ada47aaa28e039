import Hummingbird
import Services

/// The page that says whom one has to trust, and the notice about personal data. Both need no login.
struct TrustFeature: Feature {
    private let trust: TrustPageController

    init(
        pages: PageRenderer, browsers: BrowserSessions, accounts: AccountService, teams: TeamService,
        sprints: SprintService, installation: TrustInstallation
    ) {
        trust = TrustPageController(
            pages: pages, browsers: browsers, accounts: accounts, teams: teams, sprints: sprints,
            installation: installation)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/trust", use: trust.page)
        routes.open.get("/trust/notice", use: trust.notice)
    }
}
