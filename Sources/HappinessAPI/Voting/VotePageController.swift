import Domain
import HTTPTypes
import Hummingbird
import Ports
import Services

/// Voting in a browser. `cast` is the only place where a page's ballot enters the server.
struct VotePageController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let browsers: BrowserSessions
    let liveSprints: LiveSprintCache
    let ballots: BallotService
    let teams: TeamService
    let absences: AbsenceService
    let actions: ActionService
    let clock: WallClock

    /// `GET /teams/{team}/vote`: where a script seals the ballot. Redirects users who cannot vote to the live view, which
    /// says why.
    func page(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            guard let sprint = try await openSprint(of: viewed) else {
                return .seeOther(.live(of: viewed.team.id))
            }
            if let rejection = try await rejection(in: sprint, to: viewed) { return rejection }
            return try await page(for: sprint, to: viewed)
        }
    }

    /// `GET /teams/{team}/vote/plain`: the form of a plain ballot. A team that counts sealed ballots only has none.
    func plainForm(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            guard let sprint = try await openSprint(of: viewed) else {
                return .seeOther(.live(of: viewed.team.id))
            }
            guard sprint.ballots != .sealed else {
                let words = pages.words(viewed.frame)
                let page = MessagePage(
                    title: words.text("vote.title"), text: words.text("vote.sealedElsewhere"),
                    next: toVotePage(of: viewed, words))
                return try pages.response(page, in: viewed.frame)
            }
            if let rejection = try await rejection(in: sprint, to: viewed) { return rejection }
            return try await plainForm(for: sprint, to: viewed)
        }
    }

    private struct BallotForm: Decodable {
        /// Missing if nothing was chosen.
        let happiness: String?
        let feedback: String?
        /// The label of the sprint that the form was shown for.
        let sprint: String

        static func empty(for sprint: String) -> Self {
            Self(happiness: nil, feedback: nil, sprint: sprint)
        }
    }

    /// `POST /teams/{team}/vote/plain`: casts the ballot and redirects to the live view, which thanks for it. A rejected
    /// ballot is shown again with what was typed, but only to the user who typed it: a shared browser may resend a form
    /// with the cookie of the next user. A team that counts sealed ballots only rejects it without reading it.
    func cast(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            guard try await liveSprints.live(of: viewed.team.id).current.sprint.ballots != .sealed else {
                return try countsSealedOnly(feedback: "", for: viewed, status: .unprocessableContent)
            }
            let (form, problem) = try await FormBody.decodeShowingAgain(OwnForm<BallotForm>.self, from: request)
            let voter = try context.requirePrincipal()
            do {
                try browsers.require(form.formToken, of: voter)
                if let problem { throw problem }
                try await cast(form.fields, in: viewed.team, by: voter)
                return .seeOther(.live(of: viewed.team.id))
            } catch {
                guard let rejection = AppError(error), rejection.code != .unauthenticated else { throw error }
                let isTheirs = browsers.formTokens.isFrom(voter.userID, form.formToken ?? "")
                let fields = isTheirs ? form.fields : .empty(for: form.fields.sprint)
                return try await response(to: rejection, of: fields, for: viewed)
            }
        }
    }

    /// Name of the form field with the value.
    static let valueField = "happiness"

    func notCounted(
        _ problem: String, feedback: String, for viewed: TeamPageFrame, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let label = pages.words(viewed.frame).text("vote.backToTeam")
        let page = VoteNotCountedPage(
            problem: problem, feedback: feedback, next: .init(address: .live(of: viewed.team.id), label: label))
        return try pages.response(page, in: viewed.frame, status: status)
    }

    /// Says that a plain ballot is not counted, and leads to the page that seals one.
    func countsSealedOnly(
        feedback: String, for viewed: TeamPageFrame, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let words = pages.words(viewed.frame)
        let page = VoteNotCountedPage(
            problem: words.text("errors.sealed-ballots-only"), feedback: feedback, next: toVotePage(of: viewed, words))
        return try pages.response(page, in: viewed.frame, status: status)
    }

    private func toVotePage(of viewed: TeamPageFrame, _ words: LocalizedTexts) -> MessagePage.Link {
        .init(address: .vote(of: viewed.team.id), label: words.text("live.vote"))
    }

    private func cast(_ form: BallotForm, in team: Team, by voter: Principal) async throws {
        guard let label = SprintLabel(form.sprint) else { throw AppError(.malformed, "There’s no such sprint.") }
        let happiness = try Happiness(text: form.happiness ?? "")
        let feedback = try form.feedback.flatMap { try FeedbackText($0.withPlainLineEnds) }
        try await ballots.cast(by: voter, in: team.id, for: .label(label), happiness: happiness, feedback: feedback)
    }

    /// The form if it can still be sent; else a page that says what happened to the ballot.
    private func response(to rejection: AppError, of form: BallotForm, for viewed: TeamPageFrame) async throws
        -> Response
    {
        let problem = pages.words(viewed.frame).problem(rejection)
        let feedback = form.feedback ?? ""
        var response: Response
        if rejection.code != .unavailable, try await openSprint(of: viewed) == nil {
            response = try notCounted(
                problem.text, feedback: feedback, for: viewed, status: ErrorStyle.problem.status(of: rejection))
        } else {
            let sprint = try await liveSprints.live(of: viewed.team.id).current.sprint
            let draft = PlainVotePage.Draft(happiness: form.happiness ?? "", feedback: feedback, problem: problem)
            response = try await plainForm(
                for: sprint, to: viewed, draft: draft, status: ErrorStyle.problem.status(of: rejection))
        }
        response.headers[.retryAfter] = rejection.retryAfter.map(String.init)
        return response
    }

    func plainForm(
        for sprint: Sprint, to viewed: TeamPageFrame, draft: PlainVotePage.Draft = .init(),
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let page = PlainVotePage(
            sprint, team: viewed.team, draft: draft, oneAction: try await oneAction(for: viewed),
            words: pages.words(viewed.frame), now: clock.now)
        return try pages.response(page, in: viewed.frame, status: status)
    }

    private func page(for sprint: Sprint, to viewed: TeamPageFrame) async throws -> Response {
        // Of a larger team the page has no names, and reading ten thousand members takes half a second.
        let people =
            viewed.team.memberCount - 1 <= VotePage.maximumNames
            ? try await teams.people(of: viewed.team.id, by: .user(viewed.user.id)) : []
        let wishes = viewed.user.notifications
        let nextReminder =
            if wishes.push || wishes.mail {
                try await absences.nextReminder(of: viewed.team, in: sprint, for: viewed.user)
            } else {
                CalendarDay?.none
            }
        let page = VotePage(
            sprint, team: viewed.team, ownNames: viewed.user.names,
            others: people.map(\.user).filter { $0.id != viewed.user.id }.flatMap(\.names),
            nextReminder: nextReminder, oneAction: try await oneAction(for: viewed),
            words: pages.words(viewed.frame), now: clock.now)
        return try pages.response(page, in: viewed.frame)
    }

    /// The open action that is shown below the ballot.
    private func oneAction(for viewed: TeamPageFrame) async throws -> Action? {
        try await actions.oneToShow(
            for: ActionReader(
                membership: viewed.membership, isGuest: viewed.user.role == .guest, settings: viewed.team.settings))
    }

    /// Tells a viewer whose mailbox has voted through another account why they cannot; `nil` for all others.
    private func rejection(in sprint: Sprint, to viewed: TeamPageFrame) async throws -> Response? {
        guard try await ballots.hasMailboxVoted(of: viewed.user.id, in: sprint.key) else { return nil }
        let words = pages.words(viewed.frame)
        let page = MessagePage(
            title: words.text("vote.title"), text: words.text("errors.mailbox-voted"),
            next: .init(address: .live(of: viewed.team.id), label: words.text("vote.backToTeam")))
        return try pages.response(page, in: viewed.frame)
    }

    /// The sprint in which the viewer can vote; `nil` if there is none.
    func openSprint(of viewed: TeamPageFrame) async throws -> Sprint? {
        let current = try await liveSprints.live(of: viewed.team.id).current
        guard !current.isClosed, try await !ballots.hasVoted(viewed.user.id, in: current.sprint.key) else { return nil }
        return current.sprint
    }
}

extension String {
    /// Forms send every line break as two characters (HTML, "form-data set"); the writer counted one.
    fileprivate var withPlainLineEnds: String { replacing("\r\n", with: "\n") }
}
