/// Whether paired values differ by more than chance: the Wilcoxon signed-rank test, two-sided and always exact.
///
/// F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945). Differences of zero are left
/// out, as there, and equal differences share a mid-rank. The p-value is the share of all assignments of signs to these
/// ranks that are at least as extreme, so ties need no correction. The same as
/// `scipy.stats.wilcoxon(d, zero_method="wilcox", method=PermutationMethod(n_resamples=inf))`.
package struct SignedRankTest: Hashable, Sendable {
    /// Number of pairs that rose.
    package let rises: Int
    /// Number of pairs that fell.
    package let falls: Int
    /// Number of pairs, including those without a difference.
    package let pairs: Int
    /// Twice the sum of the ranks of rising pairs, less twice that of falling ones; above 0 for a rise.
    package let balance: Int
    /// Probability of a result at least as extreme if each difference were equally likely to have either sign, 0...1.
    package let p: Double

    /// - Parameter differences: of each pair. They are compared to a billionth, because differences of decimal
    ///   fractions that are equal on paper are not equal as `Double`.
    /// - Complexity: cubic in the number of pairs: a year of weekly sprints takes 150,000 steps.
    package init(differences: [Double]) {
        let exact = differences.map { Int(($0 * 1e9).rounded()) }
        let changed = exact.filter { $0 != 0 }
        let ranks = MidRanks(changed.map(\.magnitude)).doubled
        rises = changed.count { $0 > 0 }
        falls = changed.count - rises
        pairs = differences.count
        let rising = zip(changed, ranks).reduce(0) { $1.0 > 0 ? $0 + $1.1 : $0 }
        balance = 2 * rising - ranks.reduce(0, +)
        p = TwoSided.exact(Self.distribution(of: ranks), observed: rising)
    }

    /// How likely each sum of the ranks with a positive sign is.
    private static func distribution(of ranks: [Int]) -> [Double] {
        var weights = Array(repeating: 0.0, count: ranks.reduce(0, +) + 1)
        weights[0] = 1
        var highest = 0
        for rank in ranks {
            highest += rank
            // Downwards, so that each rank is used once.
            for sum in stride(from: highest, through: 0, by: -1) {
                weights[sum] = (weights[sum] + (sum >= rank ? weights[sum - rank] : 0)) / 2
            }
        }
        return weights
    }
}
