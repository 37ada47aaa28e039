import Foundation

/// The chart's texts in one language, with dates in one time zone.
struct ChartWords {
    let isGerman: Bool
    private let zone: TimeZone

    /// German for `de` and its regions, English for anything else.
    init(language: String, zone: TimeZone = .gmt) {
        isGerman = language.lowercased().prefix { $0.isLetter } == "de"
        self.zone = zone
    }

    // MARK: Dates

    /// The day on which an instant falls.
    func day(of instant: Date) -> CalendarDay { CalendarDay(instant: instant, in: zone) }

    /// The first instant of a day.
    func start(of day: CalendarDay) -> Date { day.firstInstant(in: zone) }

    /// The short name of a month, 1...12: `Nov`.
    func name(ofMonth month: Int) -> String {
        let names =
            isGerman
            ? ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."]
            : ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return names[month - 1]
    }

    /// A day without its year: `9 Nov`.
    func text(of day: CalendarDay) -> String {
        "\(day.day)\(isGerman ? "." : "")\u{a0}\(name(ofMonth: day.month))"
    }

    /// The days of a sprint: `9–22 Nov 2026`, or `26 Oct – 8 Nov 2026`.
    func dates(from start: Date, to end: Date) -> String {
        let (first, last) = (day(of: start), day(of: end).adding(days: -1))
        let isOneMonth = first.month == last.month && first.year == last.year
        let from = isOneMonth ? "\(first.day)\(isGerman ? "." : "")–" : "\(text(of: first)) – "
        return "\(from)\(text(of: last))\u{a0}\(last.year)"
    }

    private func dates(of point: HistoryPoint) -> String { dates(from: point.start, to: point.end) }

    // MARK: Texts

    var tag: String { isGerman ? "de" : "en" }
    var empty: String { isGerman ? "Noch keine Ergebnisse" : "No results yet" }
    var emptyHint: String {
        isGerman
            ? "Sie erscheinen, sobald genug Stimmen abgegeben sind." : "They appear once enough votes have been cast."
    }

    /// The label of the second line.
    var earlier: String { isGerman ? "Jahr davor" : "year before" }

    /// `Happiness per sprint, imported up to 22 Nov 2026`
    /// - Parameter points: in order of time.
    func subtitle(of points: [HistoryPoint]) -> String {
        let title = isGerman ? "Zufriedenheit je Sprint" : "Happiness per sprint"
        return [title, imported(among: points)].compactMap(\.self).joined(separator: ", ")
    }

    /// Which results another tool counted; `nil` if none. A team usually imports what came before its own sprints.
    private func imported(among points: [HistoryPoint]) -> String? {
        guard let last = points.last(where: \.isImported) else { return nil }
        guard points.prefix(while: \.isImported).last?.start == last.start else {
            return isGerman ? "teilweise importiert" : "partly imported"
        }
        let end = day(of: last.end).adding(days: -1)
        let date = "\(text(of: end))\u{a0}\(end.year)"
        return isGerman ? "bis \(date) importiert" : "imported up to \(date)"
    }

    /// The value of the same sprint of the previous year, at the end of a tooltip: `, 7.1 a year earlier`.
    func yearBefore(_ value: String, isImported: Bool) -> String {
        switch (isGerman, isImported) {
        case (false, false): ", \(value) a year earlier"
        case (false, true): ", an imported \(value) a year earlier"
        case (true, false): ", \(value) im Jahr davor"
        case (true, true): ", importierte \(value) im Jahr davor"
        }
    }

    /// The mark of an imported result in a tooltip, after its votes.
    var importedMark: String { isGerman ? ", importiert" : ", imported" }

    func title(team: String) -> String {
        let name = team.isEmpty ? (isGerman ? "Team" : "team") : team
        return isGerman ? "Zufriedenheit: \(name)" : "Happiness: \(name)"
    }

    /// One decimal place, half away from zero, with the language's separator: `7.4`.
    func value(_ happiness: Double) -> String {
        let tenths = Int((min(max(happiness, 0), 10) * 10).rounded())
        return "\(tenths / 10)\(isGerman ? "," : ".")\(tenths % 10)"
    }

    /// The tooltip of a dot: `9–22 Nov 2026: 7.4 (12 votes, 7.1 a year earlier)`.
    /// - Parameter earlier: the same sprint of the previous year, if it is drawn.
    func dot(_ point: HistoryPoint, earlier: HistoryPoint? = nil) -> String {
        let unit =
            switch (isGerman, point.votes == 1) {
            case (false, true): "vote"
            case (false, false): "votes"
            case (true, true): "Stimme"
            case (true, false): "Stimmen"
            }
        let running = isGerman ? ", läuft noch" : ", still running"
        let marks = (point.isImported ? importedMark : "") + (point.isRunning ? running : "")
        let before = earlier.map { yearBefore(value($0.happiness), isImported: $0.isImported) }
        return "\(dates(of: point)): \(value(point.happiness)) (\(point.votes) \(unit)\(marks)\(before ?? ""))"
    }

    /// The tooltip of a flag: `Started in the sprint of 9 Nov: Shorter daily; Tuesday without meetings`.
    func begun(_ mark: HistoryMark) -> String {
        let start = text(of: day(of: mark.start))
        return (isGerman ? "Begonnen im Sprint vom \(start): " : "Started in the sprint of \(start): ")
            + list(mark.titles)
    }

    /// The first titles of actions, and how many more there are.
    func list(_ titles: [String]) -> String {
        let more = titles.count - HistoryMark.shownTitles
        let rest = more > 0 ? isGerman ? " und \(more) weitere" : " and \(more) more" : ""
        return titles.prefix(HistoryMark.shownTitles).joined(separator: "; ") + rest
    }

    /// A description in a few sentences for readers who cannot see the chart. Both arguments are in order of time.
    func summary(of points: [HistoryPoint], marks: [HistoryMark]) -> String {
        let actions = marks.map { "\(begun($0))." }
        let sources = [importedSentence(among: points)].compactMap(\.self)
        return ([summary(of: points)] + sources + actions).joined(separator: " ")
    }

    /// `Imported up to 22 Nov 2026.`; `nil` if nothing was imported. The description of a single point says so itself.
    private func importedSentence(among points: [HistoryPoint]) -> String? {
        guard points.count > 1, let text = imported(among: points) else { return nil }
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    private func summary(of points: [HistoryPoint]) -> String {
        guard let first = points.first, let last = points.last,
            let highest = points.max(by: { $0.happiness < $1.happiness }),
            let lowest = points.min(by: { $0.happiness < $1.happiness })
        else { return "\(empty). \(emptyHint)" }
        if points.count == 1 {
            return isGerman
                ? "Ein Sprint auf einer Skala von 0 bis 10: \(dot(last))."
                : "One sprint on a scale from 0 to 10: \(dot(last))."
        }
        if isGerman {
            return "Liniendiagramm über \(points.count) Sprints seit dem \(text(of: day(of: first.start))) "
                + "\(day(of: first.start).year), Skala von 0 bis 10. "
                + "Zuletzt \(value(last.happiness)) (\(dates(of: last))\(last.isRunning ? ", läuft noch" : "")). "
                + "Höchster Wert \(value(highest.happiness)) (\(dates(of: highest))), "
                + "niedrigster \(value(lowest.happiness)) (\(dates(of: lowest)))."
        }
        return "Line chart of \(points.count) sprints since \(text(of: day(of: first.start))) "
            + "\(day(of: first.start).year), scale from 0 to 10. "
            + "Latest \(value(last.happiness)) (\(dates(of: last))\(last.isRunning ? ", still running" : "")). "
            + "Highest \(value(highest.happiness)) (\(dates(of: highest))), "
            + "lowest \(value(lowest.happiness)) (\(dates(of: lowest)))."
    }
}
