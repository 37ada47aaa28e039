import Foundation
import Hummingbird
import Shared

/// A team's history for people.
struct HistoryPages: Sendable {
    let pages: PageRenderer
    let viewers: Viewers
    let histories: TeamHistories
    let marks: TeamMarksCache

    /// Where a team's history is.
    static func path(of team: Team.ID) -> String { "\(TeamPages.path(of: team))/history" }

    /// `GET /teams/{team}/history`
    func history(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.answering(PageFrame(request)) {
            let viewed = try await viewers.teamFrame(request, context: context)
            let stretch = try HistoryStretch(request)
            let page = HistoryPage(
                try await histories.history(of: viewed.team.id),
                marks: try await marks.marks(of: viewed.team.id).marks, stretch: stretch,
                hidesYearBefore: request.query("compare") == "no", team: viewed.team, words: pages.words(viewed.frame),
                language: viewed.frame.language)
            return try pages.response(page, in: viewed.frame)
        }
    }
}
