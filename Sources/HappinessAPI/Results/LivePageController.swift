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

    /// `GET /teams/{team}`
    func live(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let voter = try context.requirePrincipal()
            let viewed = try await viewers.teamFrame(request, context: context)
            let live = try await liveSprints.live(of: viewed.team.id)
            let hasVoted = try await ballots.hasVoted(voter.userID, in: live.current.sprint.key)
            var page = LivePage(
                live, team: viewed.team, hasVoted: hasVoted, voteAddress: .vote(of: viewed.team.id),
                cards: try await cards(live, viewed), words: pages.words(viewed.frame), now: clock.now)
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

    private func cards(_ live: LiveSprint, _ viewed: TeamPageFrame) async throws -> LiveCards {
        let team = viewed.team
        let reader = ActionReader(
            membership: viewed.membership, isGuest: viewed.user.role == .guest,
            feedbackReaders: team.settings.feedbackReaders)
        return LiveCards(
            history: try await histories.history(of: team.id).publications, previous: live.previous,
            feedback: try await feedback(in: live.previous, for: viewed.membership),
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
}
