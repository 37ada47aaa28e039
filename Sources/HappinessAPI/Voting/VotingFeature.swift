import Hummingbird
import Ports
import Services

/// Casting a ballot: the vote page, the API, and the first clients' calls.
struct VotingFeature: Feature {
    let votePages: VotePageController
    private let ballots: BallotController
    private let sealedBallots: SealedBallotController
    private let classic: ClassicHappinessController

    init(
        pages: PageServices, browsers: BrowserSessions, teams: TeamService, sprints: SprintService,
        liveSprints: LiveSprintCache, publications: PublicationService, ballots: BallotService,
        ballotKeys: BallotKeyService, absences: AbsenceService, actions: ActionService, authenticator: Authenticator,
        classicTeams: ClassicTeams, answers: AnswerLanguage, clock: WallClock
    ) {
        votePages = VotePageController(
            pages: pages.renderer, viewers: pages.viewers, browsers: browsers, liveSprints: liveSprints,
            ballots: ballots, teams: teams, absences: absences, actions: actions, clock: clock)
        self.ballots = BallotController(ballots: ballots, authenticator: authenticator)
        sealedBallots = SealedBallotController(ballots: ballots, keys: ballotKeys)
        classic = ClassicHappinessController(
            teams: classicTeams, ballots: ballots, publications: publications, liveSprints: liveSprints,
            sprintService: sprints, answers: answers)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.votePages.get("/teams/{team}/vote", use: votePages.page)
        routes.votePages.get("/teams/{team}/vote/plain", use: votePages.plainForm)
        routes.votePages.post("/teams/{team}/vote/plain", use: votePages.cast)
        routes.votePages.get("/teams/{team}/vote/later", use: votePages.askToPostpone)
        routes.votePages.post("/teams/{team}/vote/later", use: votePages.postpone)
        routes.ballotAPI.post("/teams/{team}/sprints/{year}/{number}/ballots", use: ballots.cast)
        routes.untracedAPI.get("/teams/{team}/sprints/{year}/{number}/ballot-key", use: sealedBallots.key)
        routes.untracedAPI.post("/teams/{team}/sprints/{year}/{number}/ballot-papers", use: sealedBallots.issue)
        routes.openAPI.get("/ballot-keys/{key}", use: sealedBallots.publicKey)
        routes.openAPI.get("/sprint-ballot-keys/{team}/{year}/{number}", use: sealedBallots.sprintKey)
        routes.openAPI.post("/ballots", use: sealedBallots.cast)
        routes.untracedClassic.get("/happiness/hasVoted", use: classic.hasVoted)
        routes.untracedClassic.get("/happiness/currentSprint", use: classic.currentSprint)
        routes.untracedClassic.post("/happiness/track", use: classic.track)
        routes.classic.get("/happiness/sprints", use: classic.sprints)
    }
}
