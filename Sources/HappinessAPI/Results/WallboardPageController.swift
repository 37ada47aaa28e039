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
        /// `67% took part`; `nil` until the sprint is closed.
        let participation: String?
        /// How far the value is from the one of the sprint before; `nil` if that has none. Plain arithmetic of two
        /// values that the link shows anyway: how certain a change is may rest on distributions, which it does not show.
        let change: String?
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
                    : words.text("wallboard.answers", answers),
                participation: point.eligible.flatMap { eligible in
                    guard eligible > 0 else { return nil }
                    let share = min(Double(point.votes) / Double(eligible), 1)
                    return words.text("wallboard.participation", ["share": words.percent(share)])
                },
                change: Self.change(to: point, in: history, words))
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

    private static func change(to point: HistoryPoint, in history: SharedHistory, _ words: LocalizedTexts) -> String? {
        guard let before = history.points.last(where: { $0.end == point.start }) else { return nil }
        let (now, earlier) = ((point.happiness * 10).rounded(), (before.happiness * 10).rounded())
        let values = [
            "size": words.happiness(abs(now - earlier) / 10), "before": words.happiness(before.happiness),
        ]
        if now == earlier { return words.text("wallboard.same") }
        return now > earlier ? words.text("wallboard.up", values) : words.text("wallboard.down", values)
    }
}
