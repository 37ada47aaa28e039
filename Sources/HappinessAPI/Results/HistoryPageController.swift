import Domain
import Foundation
import Hummingbird
import Services

/// The page with a team's history.
struct HistoryPageController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let histories: HistoryCache
    let marks: TeamMarksCache

    /// `GET /teams/{team}/history`
    func history(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            let stretch = try HistoryRange(request)
            let page = HistoryPage(
                try await histories.history(of: viewed.team.id), marks: try await marks.marks(of: viewed.team.id).marks,
                stretch: stretch, hidesYearBefore: request.query("compare") == "no", team: viewed.team,
                words: pages.words(viewed.frame), language: viewed.frame.language)
            return try pages.response(page, in: viewed.frame)
        }
    }
}
