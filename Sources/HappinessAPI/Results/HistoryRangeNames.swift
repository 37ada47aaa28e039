import Services

/// Titles and addresses of ranges of a history.
struct HistoryRangeNames {
    /// Path of the history.
    let path: String
    let chosen: HistoryRange
    let words: LocalizedTexts

    /// Title of the selected range.
    var title: String {
        switch chosen {
        case .lastYear: words.text("history.lastYear")
        case .everything: words.text("history.everything")
        case .year(let year): String(year)
        case .sprints(let from, let through):
            words.text("history.fromTo", ["from": from.description, "to": through.description])
        }
    }

    /// Links to the last twelve months, each year, and all sprints.
    func choices(years: Set<Int>) -> [HistoryPage.Choice] {
        guard !years.isEmpty else { return [] }
        let all =
            [(HistoryRange.lastYear, words.text("history.lastYear"))]
            + years.sorted(by: >).map { (.year($0), String($0)) }
            + [(.everything, words.text("history.everything"))]
        return all.map { stretch, label in
            HistoryPage.Choice(address: path + Self.query(stretch), label: label, isChosen: stretch == chosen)
        }
    }

    /// Whether the selected range was chosen by its first and last sprint.
    var isChosenBySprints: Bool {
        if case .sprints = chosen { true } else { false }
    }

    /// The address of a range.
    func address(of stretch: HistoryRange, hidesYearBefore: Bool) -> String {
        path + Self.query(stretch, compare: !hidesYearBefore)
    }

    /// The query of the selected range.
    /// - Parameter compare: false hides the previous year.
    func query(compare: Bool) -> String {
        Self.query(chosen, compare: compare)
    }

    private static func query(_ stretch: HistoryRange, compare: Bool) -> String {
        let query = query(stretch)
        guard !compare else { return query }
        return query.isEmpty ? "?compare=no" : "\(query)&compare=no"
    }

    private static func query(_ stretch: HistoryRange) -> String {
        switch stretch {
        case .lastYear: ""
        case .everything: "?year=all"
        case .year(let year): "?year=\(year)"
        case .sprints(let from, let through): "?from=\(from)&to=\(through)"
        }
    }
}
