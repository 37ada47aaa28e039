import Hummingbird
import Ports
import Services

/// The published states as members see them: live view, history, single sprints, charts, and the stream of events.
struct ResultsFeature: Feature {
    private let teamPages: LivePageController
    private let historyPages: HistoryPageController
    private let sprintPages: SprintPageController
    private let sprints: SprintController
    private let history: HistoryController
    private let events: EventController
    private let wallboards: WallboardPageController

    init(
        pages: PageServices, accounts: AccountService, teams: TeamService, sprints: SprintService,
        publications: PublicationService, liveSprints: LiveSprintCache, histories: HistoryCache, marks: TeamMarksCache,
        actions: ActionService, ballots: BallotService, firstSteps: FirstStepsService,
        teamRequests: TeamRequestService, feed: PublicationFeed, memberships: MembershipCache,
        authenticator: Authenticator, feedbackDays: Int?, clock: WallClock
    ) {
        teamPages = LivePageController(
            pages: pages.renderer, viewers: pages.viewers, accounts: accounts, teams: teams,
            liveSprints: liveSprints, publications: publications, histories: histories, actions: actions,
            ballots: ballots, firstSteps: firstSteps, forms: pages.forms(for: .member), teamRequests: teamRequests,
            clock: clock)
        historyPages = HistoryPageController(
            pages: pages.renderer, viewers: pages.viewers, histories: histories, marks: marks)
        sprintPages = SprintPageController(
            pages: pages.renderer, viewers: pages.viewers, publications: publications, histories: histories,
            actions: actions, feedbackDays: feedbackDays)
        self.sprints = SprintController(publications: publications, liveSprints: liveSprints, ballots: ballots)
        let shared = SharedResults(publications: publications, sprints: sprints, teams: teams, clock: clock)
        history = HistoryController(
            publications: publications, sprints: sprints, marks: marks, teams: teams, shared: shared,
            texts: pages.renderer.texts, clock: clock)
        wallboards = WallboardPageController(pages: pages.renderer, results: shared)
        events = EventController(
            feed: feed, memberships: memberships, authenticator: authenticator, publications: publications)
    }

    func addRoutes(to routes: RouteGroups) {
        let pages = routes.resultPages
        pages.get("/", use: teamPages.start)
        pages.get("/teams/{team}", use: teamPages.live)
        pages.get("/teams/{team}/history", use: historyPages.history)
        pages.get("/teams/{team}/sprints/{year}/{number}", use: sprintPages.show)
        routes.pages.post("/team-request", use: teamPages.askForTeam)
        routes.open.get("/shared/{token}", use: wallboards.show)

        routes.untracedAPI.get("/teams/{team}/sprints/current", use: sprints.current)
        routes.untracedAPI.get("/teams/{team}/events", use: events.events)
        routes.api.get("/teams/{team}/sprints", use: history.list)
        routes.api.get("/teams/{team}/sprints/{year}/{number}", use: sprints.show)
        routes.api.get("/teams/{team}/sprints/{year}/{number}/count", use: sprints.count)
        routes.openAPI.get("/counts/{team}/{year}/{number}/{token}", use: sprints.list)
        routes.api.get("/teams/{team}/history.csv", use: history.csv)
        routes.api.get("/teams/{team}/chart.svg", use: history.chart)
        routes.openAPI.get("/shared/{token}/chart.svg", use: history.sharedChart)
    }
}
