import Domain
import Hummingbird
import Ports
import Services

extension VotePageController {
    /// The form with what the user sent after their login had ended; `nil` if it belongs to another page. If the user
    /// can no longer vote, a page says so and shows the feedback.
    func restore(_ kept: SavedForm, _ request: Request, context: AppRequestContext) async throws -> Response? {
        guard let team = SitePath.team(ofVoteAt: kept.path) else { return nil }
        var context = context
        context.coreContext.parameters = ["team": team]
        let feedback = kept.value(of: "feedback") ?? ""
        let viewed: TeamPageFrame
        do {
            viewed = try await viewers.teamFrame(request, context: context)
        } catch let rejection as AppError where rejection.code == .notFound {
            return try await notInTeam(feedback: feedback, request, context: context)
        }
        let words = pages.words(viewed.frame)
        guard let sprint = try await openSprint(of: viewed) else {
            return try notCounted(words.text("keptForm.noVote"), feedback: feedback, for: viewed)
        }
        guard sprint.ballots != .sealed else { return try countsSealedOnly(feedback: feedback, for: viewed) }
        let draft = PlainVotePage.Draft(
            happiness: kept.value(of: Self.valueField) ?? "", feedback: feedback,
            problem: FormProblem(words.text("keptForm.vote")))
        return try await plainForm(for: sprint, to: viewed, draft: draft)
    }

    /// For a user who was removed from the team before the ballot was restored.
    private func notInTeam(feedback: String, _ request: Request, context: AppRequestContext) async throws -> Response {
        let viewed = try await viewers.frame(request, context: context, for: .member)
        let words = pages.words(viewed.frame)
        let page = VoteNotCountedPage(
            problem: words.text("keptForm.notInTeam"), feedback: feedback,
            next: .init(address: .start, label: words.text("errors.toStart")))
        return try pages.response(page, in: viewed.frame)
    }
}
