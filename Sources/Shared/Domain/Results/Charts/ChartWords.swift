/// The chart's texts in one language.
struct ChartWords {
    let isGerman: Bool

    /// German for `de` and its regions, English for anything else.
    init(language: String) {
        isGerman = language.lowercased().prefix { $0.isLetter } == "de"
    }

    var tag: String { isGerman ? "de" : "en" }
    var subtitle: String { isGerman ? "Zufriedenheit je Sprint" : "Happiness per sprint" }
    var empty: String { isGerman ? "Noch keine Ergebnisse" : "No results yet" }
    var emptyHint: String {
        isGerman
            ? "Sie erscheinen, sobald genug Stimmen abgegeben sind." : "They appear once enough votes have been cast."
    }

    /// The label of the second line.
    var earlier: String { isGerman ? "Jahr davor" : "year before" }

    func title(team: String) -> String {
        let name = team.isEmpty ? (isGerman ? "Team" : "team") : team
        return isGerman ? "Zufriedenheit: \(name)" : "Happiness: \(name)"
    }

    /// One decimal place, half away from zero, with the language's separator: `7.4`.
    func value(_ happiness: Double) -> String {
        let tenths = Int((min(max(happiness, 0), 10) * 10).rounded())
        return "\(tenths / 10)\(isGerman ? "," : ".")\(tenths % 10)"
    }

    /// The tooltip of a dot: `2026/3: 7.4 (12 votes)`.
    func dot(_ point: HistoryPoint) -> String {
        let unit =
            switch (isGerman, point.votes == 1) {
            case (false, true): "vote"
            case (false, false): "votes"
            case (true, true): "Stimme"
            case (true, false): "Stimmen"
            }
        let running = isGerman ? ", läuft noch" : ", still running"
        return "\(point.label): \(value(point.happiness)) (\(point.votes) \(unit)\(point.isRunning ? running : ""))"
    }

    /// The tooltip of a flag: `Begun in 2026/3: Shorter daily; Tuesday without meetings`.
    func begun(_ mark: HistoryMark) -> String {
        let more = mark.titles.count - HistoryMark.shownTitles
        let titles = mark.titles.prefix(HistoryMark.shownTitles).joined(separator: "; ")
        let rest = more > 0 ? isGerman ? " und \(more) weitere" : " and \(more) more" : ""
        return (isGerman ? "Begonnen in \(mark.label): " : "Begun in \(mark.label): ") + titles + rest
    }

    /// A description in a few sentences for readers who cannot see the chart. Both arguments are in order of time.
    func summary(of points: [HistoryPoint], marks: [HistoryMark]) -> String {
        let actions = marks.map { "\(begun($0))." }
        return ([summary(of: points)] + actions).joined(separator: " ")
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
            return "Liniendiagramm über \(points.count) Sprints von \(first.label) bis \(last.label), "
                + "Skala von 0 bis 10. "
                + "Zuletzt \(value(last.happiness)) in \(last.label)\(last.isRunning ? ", der noch läuft" : ""). "
                + "Höchster Wert \(value(highest.happiness)) in \(highest.label), "
                + "niedrigster \(value(lowest.happiness)) in \(lowest.label)."
        }
        return "Line chart of \(points.count) sprints from \(first.label) to \(last.label), scale from 0 to 10. "
            + "Latest \(value(last.happiness)) in \(last.label)\(last.isRunning ? ", which is still running" : ""). "
            + "Highest \(value(highest.happiness)) in \(highest.label), "
            + "lowest \(value(lowest.happiness)) in \(lowest.label)."
    }
}
