import Domain
import Foundation
import Hummingbird
import Services

/// The page of one sprint.
struct SprintPageController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let publications: PublicationService
    let histories: HistoryCache
    let actions: ActionService
    /// `Settings.feedbackDays`
    let feedbackDays: Int?

    /// Texts per page; `after` requests the next one.
    static let feedbackPage = 30

    /// `GET /teams/{team}/sprints/{year}/{number}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            let publication = try await publications.publication(of: viewed.team.id, label: try context.sprintLabel())
            let mayRead = try await publications.mayReadFeedback(of: publication.sprint, viewed.membership)
            let after = try request.query("after", otherwise: "after isn’t a feedback id.") { Feedback.ID($0) }
            // Fetches one more to see whether there is another page.
            let feedback =
                mayRead
                ? try await publications.feedback(
                    in: publication, for: viewed.membership, after: after, limit: Self.feedbackPage + 1) : nil
            let history = try await histories.history(of: viewed.team.id)
            let begun = try await actions.begun(of: viewed.team.id, in: publication.sprint.start, by: viewed.user.id)
            let page = SprintPage(
                publication, number: history.number,
                neighbours: SprintNeighbours(of: publication, in: history.publications), feedback: feedback,
                countToken: publications.countToken(of: publication.sprint.key), feedbackDays: feedbackDays,
                isFirstPage: after == nil, actions: begun, isLead: viewed.membership.role == .lead, team: viewed.team,
                words: pages.words(viewed.frame))
            return try pages.response(page, in: viewed.frame)
        }
    }
}

/// The previous and the next sprint.
struct SprintNeighbours: Sendable {
    let before: Publication?
    let after: Publication?

    /// - Parameter history: in order of start.
    init(of publication: Publication, in history: [Publication]) {
        before = history.last { $0.sprint.start < publication.sprint.start }
        after = history.first { $0.sprint.start > publication.sprint.start }
    }
}
