/// A probable trend of a team's last sprints, by the Mann–Kendall test of their means.
package struct SprintTrend: Hashable, Sendable {
    /// The test behind it.
    package let evidence: Evidence
    /// Number of sprints from the first value to the last closed sprint, including those without a result.
    package let sprints: Int
    /// The change from the first to the last sprint by Sen's slope, negative for a fall.
    package let size: Double
    /// The 95 % confidence interval of `size`.
    package let sizes: ClosedRange<Double>

    /// Half a year of two-week sprints: in simulations, more sprints find a drop of the last six hardly more often.
    package static let period = 13
    /// A smaller change would be shown as 0.0.
    private static let leastSize = 0.05

    /// - Parameter history: in order of start.
    /// - Returns: `nil` if chance could explain the trend.
    package init?(_ history: [Publication]) {
        let closed = history.filter(\.isClosed).suffix(Self.period)
        let values = closed.enumerated().compactMap { index, publication in
            publication.happiness.map { (time: Double(index), value: $0) }
        }
        guard let test = TrendTest(values), let evidence = Evidence(test), let first = values.first,
            let last = values.last
        else { return nil }
        let length = last.time - first.time
        guard abs(test.slope * length) >= Self.leastSize else { return nil }
        self.evidence = evidence
        sprints = closed.count - Int(first.time)
        size = test.slope * length
        sizes = (test.slopes.lowerBound * length)...(test.slopes.upperBound * length)
    }
}
