/// The interval in which a share probably lies, by Wilson's score method. It is valid for small groups and for shares
/// near 0 and 1, where the textbook interval is not.
///
/// E. B. Wilson 1927, Journal of the American Statistical Association 22:209–212.
struct ScoreInterval: Hashable, Sendable {
    /// The observed share, 0...1.
    let share: Double
    /// The ends of the interval, 0...1.
    let low, high: Double

    /// The 97.5 % point of the normal distribution: 95 % lie within ±z.
    private static let z = 1.959963984540054

    /// - Parameter sprints: number of sprints that were added up, at least 1 if there are members.
    /// - Returns: `nil` if there are no members.
    init?(_ counts: SideCounts, sprints: Int) {
        guard let share = counts.participation else { return nil }
        let n = Double(counts.members) / Double(sprints)
        let voted = Double(counts.voted) / Double(sprints)
        let square = Self.z * Self.z
        let middle = 2 * voted + square
        let reach = Self.z * (square + 4 * voted * (1 - share)).squareRoot()
        self.share = share
        // Rounding must not move an end past the share or outside 0...1.
        low = max(0, min(share, (middle - reach) / (2 * (n + square))))
        high = min(1, max(share, (middle + reach) / (2 * (n + square))))
    }
}

/// The difference between the participation of sides A and B, with its 95 % interval.
///
/// Newcombe's hybrid score interval, built from two Wilson intervals (method 10 in R. G. Newcombe 1998, "Interval
/// estimation for the difference between independent proportions", Statistics in Medicine 17:873–890).
///
/// Over several sprints the interval is that of the people on a side, on average per sprint, not of their votes: people
/// who always or never vote, and their sides, are the same in each sprint, so more sprints do not make them more. If
/// people differ less, the interval is wider than necessary.
package struct ProportionDifference: Hashable, Sendable {
    /// Share of A minus share of B, −1...1.
    package let value: Double
    /// The interval's lower end.
    package let low: Double
    /// The interval's upper end.
    package let high: Double

    /// - Parameter sprints: number of sprints that were added up, at least 1 if there are members.
    /// - Returns: `nil` if a side has no members.
    init?(_ counts: ExperimentCounts, sprints: Int = 1) {
        guard let a = ScoreInterval(counts.a, sprints: sprints), let b = ScoreInterval(counts.b, sprints: sprints)
        else { return nil }
        func distance(_ first: Double, _ second: Double) -> Double {
            (first * first + second * second).squareRoot()
        }
        value = a.share - b.share
        low = max(-1, value - distance(a.share - a.low, b.high - b.share))
        high = min(1, value + distance(a.high - a.share, b.share - b.low))
    }
}
