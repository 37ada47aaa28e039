import Domain

/// Links that move a long history's chart to earlier or later sprints, or show fewer of them. They work without scripts.
struct HistorySteps: Sendable {
    /// The most sprints of one step: those of the last twelve months with fortnights. On a phone, a finger can still
    /// tell their dots apart.
    static let longest = 27

    /// The sprints before the shown ones; `nil` if these are the first.
    let earlier: SitePath?
    /// The sprints after the shown ones; `nil` if these are the latest.
    let later: SitePath?
    /// The last of the shown sprints; `nil` if there are no more than those.
    let onlyLast: HistoryPage.Choice?

    /// - Parameters:
    ///   - shown: published sprints that follow each other in `published`.
    ///   - published: all published sprints, in order of start.
    ///   - hidesYearBefore: as on the page that has the links.
    /// - Returns: `nil` if all sprints fit into one step, or if none is shown.
    init?(from shown: [Publication], in published: [Publication], hidesYearBefore: Bool, names: HistoryRangeNames) {
        guard published.count > Self.longest, let key = shown.first?.sprint.key,
            let first = published.firstIndex(where: { $0.sprint.key == key })
        else { return nil }
        let end = first + shown.count
        let size = names.isChosenBySprints ? min(shown.count, Self.longest) : Self.longest
        // Without the name of a place on the page, a phone would show its top again, and no chart.
        let address = { (sprints: ArraySlice<Publication>) -> SitePath? in
            guard let from = sprints.first, let through = sprints.last else { return nil }
            return names.address(
                of: .sprints(from: from.sprint.label, through: through.sprint.label), hidesYearBefore: hidesYearBefore
            ).at("stretch")
        }
        // A step has the same number of sprints at the ends of the history, too.
        let before = max(0, first - size)
        earlier = first > 0 ? address(published[before..<min(before + size, published.count)]) : nil
        let after = min(end + size, published.count)
        later = end < published.count ? address(published[max(0, after - size)..<after]) : nil
        let isLong = shown.count > Self.longest
        onlyLast =
            isLong
            ? address(shown.suffix(Self.longest)).map { address in
                HistoryPage.Choice(
                    address: address,
                    label: names.words.text("history.onlyLast", ["count": String(Self.longest)]), isChosen: false)
            } : nil
    }
}
