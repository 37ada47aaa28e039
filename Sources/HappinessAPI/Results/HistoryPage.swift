import Domain
import Foundation

/// A range of a team's history: chart, texts, table, and downloads.
struct HistoryPage: Page {
    static let template = "history"

    /// The page's path without a query, for the form.
    let address: SitePath
    /// Links to years and the other named ranges.
    let stretches: [Choice]
    /// All published sprints, to choose the first and last of a range.
    let from: [Option]
    let through: [Option]
    /// Whether there is more than one sprint to choose from.
    let hasSeveralSprints: Bool
    /// Title of the range: `Last 12 months`.
    let title: String
    /// The latest value as text; `nil` while nothing is published.
    let latest: String?
    /// Whether another tool counted the latest value.
    let isLatestImported: Bool
    /// `nil` if no sprint of the range is published.
    let chart: Chart?
    /// `nil` if the history is short.
    let steps: HistorySteps?
    /// Sentences that say why there is nothing.
    let empty: [String]
    let rows: [Row]
    /// Whether the table has a column for the previous year.
    let hasYearBefore: Bool
    let downloads: Downloads?
    let live: LiveRegion

    /// A link to another range.
    struct Choice: Sendable {
        let address: SitePath
        let label: String
        let isChosen: Bool
    }

    /// A sprint to choose.
    struct Option: Sendable {
        let label: String
        let dates: String
        let isChosen: Bool
    }

    /// The chart for wide and narrow windows, with text about it.
    struct Chart: Sendable {
        let wide: Drawing
        let narrow: Drawing
        let legend: Legend
        /// How many of the results another tool counted; `nil` for none.
        let imported: String?
        /// The comparison with the previous year in one line; `nil` if there is none.
        let change: String?
        /// How it comes about.
        let comparison: [String]
        /// Link that shows or hides the previous year; `nil` if there is none.
        let comparisonSwitch: Choice?
    }

    /// The signs that the chart contains, for its legend.
    struct Legend: Sendable {
        /// A sprint that is still running.
        let hasOpenDot: Bool
        /// Sprints without a published result between others.
        let hasGap: Bool
        /// A sprint in which actions began.
        let hasFlag: Bool

        /// - Parameter shown: published sprints in order of start.
        init(of shown: [Publication], marks: [HistoryMark]) {
            let starts = shown.map(\.sprint.start)
            hasOpenDot = shown.last?.isClosed == false
            hasGap = zip(shown, shown.dropFirst()).contains { $0.sprint.end != $1.sprint.start }
            hasFlag = marks.contains { mark in
                starts.first.map { $0 <= mark.start } == true && starts.last.map { mark.start <= $0 } == true
            }
        }
    }

    /// A sprint's row in the table.
    struct Row: Sendable {
        let label: String
        let address: SitePath
        let dates: String
        let value: String
        let answers: String
        let yearBefore: String
        /// Whether another tool counted the value of the year before.
        let isYearBeforeImported: Bool
        let isRunning: Bool
        let isImported: Bool
    }

    /// Paths of the downloads for the range.
    struct Downloads: Sendable {
        let csv: SitePath
        let svg: SitePath
    }

    /// - Parameters:
    ///   - whole: published states, in order of start.
    ///   - marks: sprints in which actions began.
    init(
        _ whole: TeamHistory, marks: [HistoryMark], stretch: HistoryRange, hidesYearBefore: Bool, team: Team,
        words: LocalizedTexts, language: PageLanguage
    ) {
        let history = whole.publications
        let published = history.filter(\.isPublished)
        let part = stretch.part(of: history)
        let shown = part.filter(\.isPublished)
        let pairs = HistoryRange.isComparable(shown) ? YearComparison.pairs(of: shown, in: history) : []
        let path = SitePath.history(of: team.id)
        let names = HistoryRangeNames(path: path, chosen: stretch, words: words)
        address = path
        stretches = names.choices(years: Set(published.map(\.sprint.label.year)))
        hasSeveralSprints = published.count > 1
        title = names.title
        let texts = HistoryTexts(words: words, team: team)
        from = published.map { texts.option($0, isChosen: $0.sprint.key == shown.first?.sprint.key) }
        through = published.map { texts.option($0, isChosen: $0.sprint.key == shown.last?.sprint.key) }
        latest = published.last.map(texts.latest)
        isLatestImported = published.last?.sprint.isImported == true
        empty = published.isEmpty ? texts.nothingYet : [words.text("history.nothingHere")]
        let earlier = hidesYearBefore ? [] : pairs.map(\.before)
        steps = HistorySteps(from: shown, in: published, hidesYearBefore: hidesYearBefore, names: names)
        let draw = { (size: HistoryChart.Size, id: String) in
            Self.draw(shown, marks: marks, earlier: earlier, in: size, id: id, team: team, words: words)
        }
        let year = pairs.isEmpty || hidesYearBefore ? nil : YearComparison(of: shown, in: history)
        chart =
            shown.isEmpty
            ? nil
            : Chart(
                wide: draw(HistoryChart.Size(width: 960, height: 380), "wide"),
                narrow: draw(HistoryChart.Size(width: 360, height: 300), "narrow"),
                legend: Legend(of: shown, marks: marks),
                imported: words.imported(shown.count { $0.sprint.isImported }),
                change: year?.plain(words),
                comparison: year?.sentences(words) ?? [],
                comparisonSwitch: pairs.isEmpty
                    ? nil
                    : Choice(
                        address: names.address(of: stretch, hidesYearBefore: !hidesYearBefore),
                        label: hidesYearBefore ? words.text("history.showYear") : words.text("history.hideYear"),
                        isChosen: !hidesYearBefore))
        let before = Dictionary(earlier.map { ($0.sprint.label, $0) }) { first, _ in first }
        rows = shown.reversed().map { texts.row($0, yearBefore: before) }
        hasYearBefore = !earlier.isEmpty
        downloads = shown.first.flatMap { first in
            shown.last.map { Downloads(team: team, from: first, through: $0, language: language) }
        }
        live = LiveRegion(teamID: team.id, number: whole.number, text: latest ?? "")
    }

    private static func draw(
        _ shown: [Publication], marks: [HistoryMark], earlier: [Publication], in size: HistoryChart.Size, id: String,
        team: Team, words: LocalizedTexts
    ) -> Drawing {
        let page = HistoryChart.Page(earlier: earlier.compactMap(\.historyPoint)) {
            SitePath.sprint($0, of: team.id).description
        }
        return Drawing(
            svg: HistoryChart(
                teamName: team.name, points: shown.compactMap(\.historyPoint), marks: marks, appearance: .light,
                words: words, zone: team.settings.zone, size: size, id: "history-\(id)", page: page
            ).svg())
    }
}

extension HistoryPage.Downloads {
    fileprivate init(team: Team, from: Publication, through: Publication, language: PageLanguage) {
        func range(_ file: SitePath) -> SitePath {
            file.adding("from", from.sprint.label.description).adding("to", through.sprint.label.description)
        }
        csv = range(.historyFile(of: team.id)).adding("language", language.rawValue)
        svg = range(.chart(of: team.id)).adding("appearance", "light").adding("language", language.rawValue)
    }
}

/// Data that a page needs to follow the team's publications, see `live.js`.
struct LiveRegion: Sendable {
    /// Path of the event stream.
    let events: SitePath
    /// A publication number; the page's content is at least as new.
    let number: Int
    /// Announced to screen readers after a change.
    let text: String

    init(teamID: Team.ID, number: Int, text: String) {
        events = .events(of: teamID)
        self.number = number
        self.text = text
    }
}
