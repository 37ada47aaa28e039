import Domain
import Hummingbird
import Services

/// The results of a team on a screen in its room, for everyone with the share link.
struct WallboardPageController: Sendable {
    let pages: PageRenderer
    let results: SharedResults

    /// `GET /shared/{token}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let frame = PageFrame(request)
        return try await pages.renderingErrors(frame) {
            let token = context.parameters.get("token") ?? ""
            let (team, history) = try await results.find(token: token)
            let page = WallboardPage(
                team, history: history, token: token, words: pages.words(frame), language: frame.language)
            return try pages.response(page, in: frame)
        }
    }
}

/// A team's latest published value, large, above its chart. `wallboard.js` fetches the page again every minute.
struct WallboardPage: Page {
    static let template = "wallboard"

    let teamName: String
    /// The latest published value; `nil` while there is none.
    let latest: Latest?
    let face: Face
    /// Path of the chart: the years of the latest result and of the one before it.
    let chart: SitePath?

    /// The latest sprint with a result.
    struct Latest: Sendable {
        /// `7.4`
        let value: String
        /// `9–22 November`
        let dates: String
        /// Whether another tool counted it.
        let isImported: Bool
        /// How many answers are in the value.
        let answers: String
    }

    /// - Parameter history: in order of the sprints.
    init(_ team: Team, history: SharedHistory, token: String, words: LocalizedTexts, language: PageLanguage) {
        teamName = history.teamName
        let point = history.points.last
        face = Face(point?.happiness)
        latest = point.map { point in
            let answers = ["votes": words.number(point.votes), "people": words.number(point.eligible ?? 0)]
            return Latest(
                value: words.happiness(point.happiness),
                dates: SprintTexts(words: words, zone: team.settings.zone).dates(from: point.start, to: point.end),
                isImported: point.isImported,
                answers: point.eligible == nil
                    ? words.text("wallboard.soFar", count: point.votes, answers)
                    : words.text("wallboard.answers", answers))
        }
        let year = point?.label.year ?? 0
        let shown = history.points.filter { $0.label.year >= year - 1 }
        // A browser draws the image again only if its address changes.
        let number = history.points.reduce(0) { $0 + $1.votes }
        chart = shown.first.flatMap { first in
            point.map { last in
                SitePath.sharedChart(token).adding("from", first.label.description)
                    .adding("to", last.label.description).adding("language", language.rawValue)
                    .adding("number", String(number))
            }
        }
    }
}
