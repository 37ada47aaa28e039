import Domain
import Foundation

/// The cards of the live view below the present sprint: the values of the last sprints, feedback from the last one, and
/// the team's actions.
struct LiveCards: Sendable {
    /// `nil` while fewer than two sprints have a value.
    let trend: Trend?
    /// `nil` if the last result has no feedback that the viewer may read.
    let feedback: TextList?
    /// `nil` if no action is open.
    let actions: LinkList?

    /// Whether there is any card.
    let isShown: Bool

    /// Maximum number of feedback texts.
    static let shownTexts = 3
    /// Maximum number of open actions.
    static let shownActions = 5

    /// A line through the values of the last sprints, without axes.
    struct Trend: Sendable {
        /// SVG path data: 1,000 units wide, and 200 units high from 10 at the top to 0. Gaps are sprints without a
        /// value.
        let line: String
        /// Position of the latest value.
        let x: Int
        let y: Int
        /// Says what the line shows.
        let text: String
        /// The latest sprints compared with those before them, in one line; `nil` if there are too few results.
        let change: String?
        /// The values behind it, and how certain they are.
        let details: [String]
        /// How many of all these results were imported; `nil` for none.
        let imported: String?
        /// Path of the history.
        let address: SitePath
    }

    /// Feedback, and the path of the page with all of it.
    struct TextList: Sendable {
        let texts: [String]
        let address: SitePath
    }

    /// Open actions, and the path of the board.
    struct LinkList: Sendable {
        let links: [MessagePage.Link]
        let address: SitePath
    }

    /// - Parameters:
    ///   - history: the team's published states, in order of start.
    ///   - previous: the last sprint with a result.
    ///   - feedback: at most `shownTexts` texts of it that the viewer may read.
    ///   - actions: at most `shownActions` open actions.
    init(
        history: [Publication], previous: Publication?, feedback: [Feedback], actions: [Action], team: Team,
        words: LocalizedTexts
    ) {
        trend = Trend(history, team: team, words: words)
        self.feedback = previous.flatMap { previous in
            guard !feedback.isEmpty else { return nil }
            return TextList(
                texts: feedback.map(\.text), address: .sprint(previous.sprint.label, of: team.id).at("feedback"))
        }
        self.actions =
            actions.isEmpty
            ? nil
            : LinkList(
                links: actions.map {
                    MessagePage.Link(address: .action($0.id, of: team.id), label: $0.content.title)
                }, address: .actions(of: team.id))
        isShown = trend != nil || self.feedback != nil || self.actions != nil
    }
}

extension LiveCards.Trend {
    /// Maximum number of sprints: about half a year.
    private static let shownSprints = 12

    fileprivate init?(_ history: [Publication], team: Team, words: LocalizedTexts) {
        let points = history.compactMap(\.historyPoint).suffix(Self.shownSprints)
        guard points.count > 1, let first = points.first, let last = points.last,
            let lowest = points.map(\.happiness).min(), let highest = points.map(\.happiness).max()
        else { return nil }
        func x(_ point: HistoryPoint) -> Int {
            Int(1_000 * point.start.timeIntervalSince(first.start) / last.start.timeIntervalSince(first.start))
        }
        func y(_ point: HistoryPoint) -> Int { Int(20 * (10 - point.happiness)) }
        var end: Date?
        line = points.map { point in
            defer { end = point.end }
            let position = "\(x(point)) \(y(point))"
            // A line of length 0 is a dot, for a value between two gaps.
            return point.start == end ? "L\(position)" : "M\(position)h0"
        }.joined()
        (self.x, self.y) = (x(last), y(last))
        let values = [
            "count": String(points.count), "lowest": words.happiness(lowest), "highest": words.happiness(highest),
        ]
        text =
            values["lowest"] == values["highest"]
            ? words.text("live.trendSame", values) : words.text("live.trend", values)
        let trend = TeamTrend(history)
        // The line and the sentences both go back from the latest result, so one of them covers the other.
        let imported = max(points.count { $0.isImported }, trend?.importedCount ?? 0)
        change = trend?.plain(words)
        details = Array(trend?.sentences(words).prefix(2) ?? [])
        self.imported = words.imported(imported)
        address = .history(of: team.id)
    }
}
