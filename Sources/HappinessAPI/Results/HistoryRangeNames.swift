import Domain

/// Titles and addresses of ranges of a history.
struct HistoryRangeNames {
    /// Path of the history.
    let path: SitePath
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
            HistoryPage.Choice(address: address(of: stretch), label: label, isChosen: stretch == chosen)
        }
    }

    /// Whether the selected range was chosen by its first and last sprint.
    var isChosenBySprints: Bool {
        if case .sprints = chosen { true } else { false }
    }

    /// The address of a range.
    func address(of stretch: HistoryRange, hidesYearBefore: Bool = false) -> SitePath {
        let address =
            switch stretch {
            case .lastYear: path
            case .everything: path.adding("year", "all")
            case .year(let year): path.adding("year", String(year))
            case .sprints(let from, let through):
                path.adding("from", from.description).adding("to", through.description)
            }
        return hidesYearBefore ? address.adding("compare", "no") : address
    }
}
