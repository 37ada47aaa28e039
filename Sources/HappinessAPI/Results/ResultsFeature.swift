import Hummingbird
import Services

/// The published states as members see them: live view, history, single sprints, charts, and the stream of events.
struct ResultsFeature: Feature {
    /// Runs beside the server, and longer than it.
    let feed: PublicationFeed
    private let teamPages: LivePageController
    private let historyPages: HistoryPageController
    private let sprintPages: SprintPageController
    private let sprints: SprintController
    private let history: HistoryController
    private let events: EventController
    private let wallboards: WallboardPageController

    init(_ services: AppServices) {
        let marks = services.marks
        feed = PublicationFeed(sprints: services.sprints, teams: services.stores.teams)
        teamPages = LivePageController(
            pages: services.pages, viewers: services.viewers, users: services.stores.users,
            teams: services.stores.teams, liveSprints: services.liveSprints,
            publications: services.publications, histories: services.histories, actions: services.actions,
            ballots: services.ballots, firstSteps: services.firstSteps, clock: services.clock)
        historyPages = HistoryPageController(
            pages: services.pages, viewers: services.viewers, histories: services.histories, marks: marks)
        sprintPages = SprintPageController(
            pages: services.pages, viewers: services.viewers, publications: services.publications,
            histories: services.histories, actions: services.actions, feedbackDays: services.feedbackDays)
        sprints = SprintController(
            publications: services.publications, liveSprints: services.liveSprints, ballots: services.ballots)
        let shared = SharedResults(
            publications: services.publications, sprints: services.sprints, teams: services.stores.teams,
            clock: services.clock)
        history = HistoryController(
            publications: services.publications, sprints: services.sprints, marks: marks,
            teams: services.stores.teams, shared: shared, texts: services.pages.texts, clock: services.clock)
        wallboards = WallboardPageController(pages: services.pages, results: shared)
        events = EventController(
            feed: feed, memberships: services.memberships, authenticator: services.logins.authenticator,
            teams: services.stores.teams)
    }

    func addRoutes(to routes: RouteGroups) {
        let pages = routes.resultPages
        pages.get("/", use: teamPages.start)
        pages.get("/teams/{team}", use: teamPages.live)
        pages.get("/teams/{team}/history", use: historyPages.history)
        pages.get("/teams/{team}/sprints/{year}/{number}", use: sprintPages.show)
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
