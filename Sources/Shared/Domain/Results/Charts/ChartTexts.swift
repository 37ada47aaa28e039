import Foundation

/// The chart's texts in one language, with dates in one time zone.
struct ChartTexts {
    let words: LocalizedTexts
    private let zone: TimeZone

    /// - Parameter zone: the team's.
    init(_ words: LocalizedTexts, zone: TimeZone = .gmt) {
        self.words = words
        self.zone = zone
    }

    // MARK: Dates

    /// The day on which an instant falls.
    func day(of instant: Date) -> CalendarDay { CalendarDay(instant: instant, in: zone) }

    /// The first instant of a day.
    func start(of day: CalendarDay) -> Date { day.firstInstant(in: zone) }

    /// The short name of a month, 1...12: `Nov`.
    func name(ofMonth month: Int) -> String {
        let names = words.text("calendar.shortMonths").split(separator: " ")
        return names.indices.contains(month - 1) ? String(names[month - 1]) : String(month)
    }

    /// A day without its year: `9 Nov`.
    func text(of day: CalendarDay) -> String {
        words.text("calendar.day", ["day": String(day.day), "month": name(ofMonth: day.month)])
    }

    /// The days of a sprint: `9–22 Nov 2026`, or `26 Oct – 8 Nov 2026`.
    func dates(from start: Date, to end: Date) -> String {
        let (first, last) = (day(of: start), day(of: end).adding(days: -1))
        let dates =
            first.month == last.month && first.year == last.year
            ? words.text(
                "calendar.oneMonth",
                ["first": String(first.day), "last": String(last.day), "lastMonth": name(ofMonth: last.month)])
            : words.text("charts.twoMonths", ["first": text(of: first), "last": text(of: last)])
        return withYear(dates, last.year)
    }

    /// The days of a point's sprint.
    func dates(of point: HistoryPoint) -> String { dates(from: point.start, to: point.end) }

    private func withYear(_ day: String, _ year: Int) -> String {
        words.text("charts.withYear", ["day": day, "year": String(year)])
    }

    // MARK: Texts

    var tag: String { words.language.rawValue }
    var empty: String { words.text("charts.empty") }
    var emptyHint: String { words.text("charts.emptyHint") }

    /// The label of the second line.
    var earlier: String { words.text("charts.yearBefore") }

    /// Several parts in a row: `12 votes, still running`.
    func list(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: words.text("charts.listSeparator"))
    }

    /// `Happiness per sprint, imported up to 22 Nov 2026`
    /// - Parameter points: in order of time.
    func subtitle(of points: [HistoryPoint]) -> String {
        let imported: String? =
            switch Imports(points) {
            case .none: nil
            case .partly: words.text("charts.partlyImported")
            case .upTo(let point): words.text("charts.importedUpTo", ["day": lastDay(of: point)])
            }
        return list([words.text("charts.subtitle"), imported])
    }

    /// Which results another tool counted. A team usually imports what came before its own sprints.
    private enum Imports {
        case none
        case partly
        /// All results up to this one.
        case upTo(HistoryPoint)

        /// - Parameter points: in order of time.
        init(_ points: [HistoryPoint]) {
            guard let last = points.last(where: \.isImported) else {
                self = .none
                return
            }
            let isBeginning = points.prefix(while: \.isImported).last?.start == last.start
            self = isBeginning ? .upTo(last) : .partly
        }
    }

    private func lastDay(of point: HistoryPoint) -> String {
        let end = day(of: point.end).adding(days: -1)
        return withYear(text(of: end), end.year)
    }

    /// The value of the same sprint of the previous year, at the end of a tooltip: `7.1 a year earlier`.
    func yearBefore(_ value: String, isImported: Bool) -> String {
        isImported
            ? words.text("charts.importedYearBefore", ["value": value])
            : words.text("charts.valueYearBefore", ["value": value])
    }

    /// The mark of an imported result in a tooltip, after its votes.
    var importedMark: String { words.text("charts.imported") }

    func title(team: String) -> String {
        words.text("charts.title", ["team": team.isEmpty ? words.text("charts.team") : team])
    }

    /// One decimal place, half away from zero, with the language's separator: `7.4`.
    func value(_ happiness: Double) -> String { words.happiness(happiness) }

    /// The tooltip of a dot: `9–22 Nov 2026: 7.4 (12 votes, 7.1 a year earlier)`.
    /// - Parameter earlier: the same sprint of the previous year, if it is drawn.
    func dot(_ point: HistoryPoint, earlier: HistoryPoint? = nil) -> String {
        let facts = facts(of: point, earlier: earlier)
        return words.text("charts.dot", ["dates": dates(of: point), "value": value(point.happiness), "facts": facts])
    }

    /// What a dot says besides days and value: `12 votes, 7.1 a year earlier`.
    func facts(of point: HistoryPoint, earlier: HistoryPoint?) -> String {
        list([
            words.text("charts.votes", count: point.votes, ["votes": String(point.votes)]),
            point.isImported ? importedMark : nil, point.isRunning ? words.text("charts.running") : nil,
            earlier.map { yearBefore(value($0.happiness), isImported: $0.isImported) },
        ])
    }

    /// The same with the actions that began in the sprint.
    func dot(_ dot: String, begun: String) -> String {
        words.text("charts.dotAndBegun", ["dot": dot, "begun": begun])
    }

    /// The tooltip of a flag: `Started in the sprint of 9 Nov: Shorter daily; Tuesday without meetings`.
    func begun(_ mark: HistoryMark) -> String {
        words.text("charts.begun", ["day": text(of: day(of: mark.start)), "actions": actions(mark.titles)])
    }

    /// The first titles of actions, and how many more there are.
    func actions(_ titles: [String]) -> String {
        let more = titles.count - HistoryMark.shownTitles
        let shown = titles.prefix(HistoryMark.shownTitles).joined(separator: words.text("charts.titleSeparator"))
        return more > 0 ? words.text("charts.moreActions", ["actions": shown, "count": String(more)]) : shown
    }

    /// A description in a few sentences for readers who cannot see the chart. Both arguments are in order of time.
    func summary(of points: [HistoryPoint], marks: [HistoryMark]) -> String {
        let actions = marks.map { words.text("charts.sentence", ["text": begun($0)]) }
        let sources = [importedSentence(among: points)].compactMap(\.self)
        return ([summary(of: points)] + sources + actions).joined(separator: " ")
    }

    /// `Imported up to 22 Nov 2026.`; `nil` if nothing was imported. The description of a single point says so itself.
    private func importedSentence(among points: [HistoryPoint]) -> String? {
        guard points.count > 1 else { return nil }
        return switch Imports(points) {
        case .none: nil
        case .partly: words.text("charts.partlyImportedSentence")
        case .upTo(let point): words.text("charts.importedUpToSentence", ["day": lastDay(of: point)])
        }
    }

    private func summary(of points: [HistoryPoint]) -> String {
        guard let first = points.first, let last = points.last,
            let highest = points.max(by: { $0.happiness < $1.happiness }),
            let lowest = points.min(by: { $0.happiness < $1.happiness })
        else { return words.text("charts.emptySummary") }
        if points.count == 1 { return words.text("charts.oneSprint", ["dot": dot(last)]) }
        let start = day(of: first.start)
        return words.text(
            "charts.summary",
            [
                "count": String(points.count), "day": text(of: start), "year": String(start.year),
                "latest": value(last.happiness),
                "latestDates": list([dates(of: last), last.isRunning ? words.text("charts.running") : nil]),
                "highest": value(highest.happiness), "highestDates": dates(of: highest),
                "lowest": value(lowest.happiness), "lowestDates": dates(of: lowest),
            ])
    }
}
