import Shared

/// Names and addresses of the stretches of a history.
struct StretchNames {
    /// Of the history.
    let path: String
    let chosen: HistoryStretch
    let words: PageWords

    /// What is shown.
    var title: String {
        switch chosen {
        case .lastYear: words.text("history.lastYear")
        case .everything: words.text("history.everything")
        case .year(let year): String(year)
        case .sprints(let from, let through):
            words.text("history.fromTo", ["from": from.description, "to": through.description])
        }
    }

    /// The last twelve months, each year, and everything.
    func choices(years: Set<Int>) -> [HistoryPage.Choice] {
        guard !years.isEmpty else { return [] }
        let all =
            [(HistoryStretch.lastYear, words.text("history.lastYear"))]
            + years.sorted(by: >).map { (.year($0), String($0)) }
            + [(.everything, words.text("history.everything"))]
        return all.map { stretch, label in
            HistoryPage.Choice(address: path + Self.query(stretch), label: label, isChosen: stretch == chosen)
        }
    }

    /// The chosen stretch's query.
    /// - Parameter compare: false hides the year before.
    func query(compare: Bool) -> String {
        let query = Self.query(chosen)
        guard !compare else { return query }
        return query.isEmpty ? "?compare=no" : "\(query)&compare=no"
    }

    private static func query(_ stretch: HistoryStretch) -> String {
        switch stretch {
        case .lastYear: ""
        case .everything: "?year=all"
        case .year(let year): "?year=\(year)"
        case .sprints(let from, let through): "?from=\(from)&to=\(through)"
        }
    }
}
