import Domain
import HTTPTypes
import Hummingbird
import Ports
import Services

/// The start of the web app: the live view of a team.
struct LivePageController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let accounts: AccountService
    let teams: TeamService
    let liveSprints: LiveSprintCache
    let publications: PublicationService
    let histories: HistoryCache
    let actions: ActionService
    let ballots: BallotService
    let firstSteps: FirstStepsService
    let forms: SettingsForms
    let teamRequests: TeamRequestService
    let clock: WallClock

    /// `GET /`: redirects to the default team, or another one; an administrator without a team gets the administration.
    func start(_ request: Request, context: AppRequestContext) async throws -> Response {
        let principal = try context.requirePrincipal()
        let teams = try await self.teams.list(of: principal)
        let user = try await accounts.find(principal)
        guard let team = teams.first(where: { $0.team.id == user?.defaultTeamID }) ?? teams.first else {
            guard user?.role != .admin else { return .seeOther(.admin) }
            let viewed = try await viewers.frame(request, context: context, for: .member)
            return try pages.response(NoTeamPage(), in: viewed.frame)
        }
        return .seeOther(.live(of: team.team.id))
    }

    /// `POST /team-request`: tells the administrators that the viewer has no team.
    func askForTeam(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context) { visit in
            NoTeamPage(problem: visit.problem)
        } response: { _, visit in
            try await teamRequests.ask(by: visit.principal)
            return try pages.response(NoTeamPage(isAsked: true), in: visit.frame)
        }
    }

    /// `GET /teams/{team}`
    func live(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let voter = try context.requirePrincipal()
            let viewed = try await viewers.teamFrame(request, context: context)
            let live = try await liveSprints.live(of: viewed.team.id)
            let vote = try await ballots.voteState(of: voter.userID, in: live.current.sprint.key)
            let oneAction = try await vote == .voted ? actions.oneToShow(for: reader(viewed)) : nil
            let history = try await histories.history(of: viewed.team.id).publications
            let last = try await lastResult(live, in: history, viewed)
            var page = LivePage(
                live, last: last, team: viewed.team, vote: vote, voteAddress: .vote(of: viewed.team.id),
                cards: try await cards(last?.publication, history, viewed), oneAction: oneAction,
                words: pages.words(viewed.frame),
                now: clock.now)
            page.mailsReturn = viewed.user.addressFault != nil
            if live.previous == nil, viewed.membership.role == .lead {
                page.firstSteps = try await firstSteps.steps(of: voter.userID, leading: viewed.team)
                    .map { FirstStepsCard($0, words: pages.words(viewed.frame)) }
                if viewed.user.role == .admin {
                    page.firstSteps = page.firstSteps?.leadingToServer(pages.words(viewed.frame))
                }
            }
            return try pages.response(page, in: viewed.frame)
        }
    }

    private func reader(_ viewed: TeamPageFrame) -> ActionReader {
        ActionReader(
            membership: viewed.membership, isGuest: viewed.user.role == .guest, settings: viewed.team.settings)
    }

    /// The latest final result: of the current sprint if everyone has voted, or else of an earlier one.
    private func lastResult(
        _ live: LiveSprint, in history: [Publication], _ viewed: TeamPageFrame
    ) async throws -> LivePage.LastResult? {
        let candidates = history.filter { $0.sprint.start < live.current.sprint.start } + [live.current]
        guard let last = candidates.last(where: { $0.isClosed && $0.isPublished }) else { return nil }
        return LivePage.LastResult(
            publication: last, before: candidates.last { $0.sprint.end == last.sprint.start },
            begun: try await actions.begun(of: viewed.team.id, in: last.sprint.start, by: viewed.user.id))
    }

    /// - Parameter last: the sprint whose feedback is shown.
    private func cards(
        _ last: Publication?, _ history: [Publication], _ viewed: TeamPageFrame
    ) async throws -> LiveCards {
        let team = viewed.team
        let reader = reader(viewed)
        return LiveCards(
            history: history, previous: last, feedback: try await feedback(in: last, for: viewed.membership),
            actions: try await actions.open(for: reader, limit: LiveCards.shownActions), team: team,
            words: pages.words(viewed.frame))
    }

    /// The first texts of a sprint that this member may read.
    private func feedback(in publication: Publication?, for member: Membership) async throws -> [Feedback] {
        guard let publication, try await publications.mayReadFeedback(of: publication.sprint, member) else { return [] }
        return try await publications.feedback(in: publication, for: member, limit: LiveCards.shownTexts)
    }
}

/// Shown to users without a team.
struct NoTeamPage: Page {
    static let template = "no-team"

    /// A sleeping face.
    let face = Face(nil)
    /// Whether the administrators were just told.
    var isAsked = false
    /// Why they were not.
    var problem: FormProblem?
}
