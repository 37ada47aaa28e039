/// The evidence for a probable change: a test in which chance alone would rarely show as much.
///
/// Takes published states only. All three tests assume that the missing answers resemble those given, and that sprints
/// do not influence each other; `docs/statistics.md` says how far that holds.
package struct Evidence: Hashable, Sendable {
    /// The direction found.
    package let change: PossibleMean.Change
    /// The p-value, above 0 and at most `level`.
    package let chance: Double

    /// Highest p-value of a probable change, two-sided: at most one of 20 teams that do not change sees one.
    package static let level = 0.05
    /// For the rounding of sums: p-values that are exactly the level on paper reach it.
    private static let tolerance = 1e-12

    private init?(isRise: Bool, p: Double) {
        guard p <= Self.level + Self.tolerance else { return nil }
        change = isRise ? .rise : .fall
        chance = p
    }

    /// Compares the answers of two closed sprints by the Mann–Whitney test.
    /// - Returns: `nil` unless the distribution of both is published, and if chance could explain the difference.
    package init?(answersOf now: Publication, since before: Publication) {
        guard now.isClosed, before.isClosed, let answers = now.distribution, let earlier = before.distribution else {
            return nil
        }
        let test = RankSumTest(answers, earlier)
        self.init(isRise: test.higher > test.lower, p: test.p)
    }

    /// Compares sprints with the same sprints of the year before by the Wilcoxon signed-rank test of their means.
    /// - Returns: `nil` if chance could explain the difference, as it always can with fewer than six pairs.
    package init?(sameSprints pairs: [(now: Publication, before: Publication)]) {
        let test = SignedRankTest(
            differences: pairs.compactMap { pair in
                guard pair.now.isClosed, pair.before.isClosed else { return nil }
                return pair.now.happiness.flatMap { now in pair.before.happiness.map { now - $0 } }
            })
        self.init(isRise: test.balance > 0, p: test.p)
    }

    /// Takes the result of a Mann–Kendall test.
    /// - Returns: `nil` if chance could explain the trend.
    init?(_ test: TrendTest) {
        self.init(isRise: test.rises > test.falls, p: test.p)
    }

    /// Chance alone would show as much at most once in this many times: 20, 30 … 90, 100, 200 … 900, or 1000, rounded
    /// down, so that the sentence stays true.
    package var times: Int {
        let times = min(1 / chance + Self.tolerance, 1000)
        let unit: Double = times < 100 ? 10 : 100
        return max(Int((times / unit + Self.tolerance).rounded(.down) * unit), 20)
    }
}
