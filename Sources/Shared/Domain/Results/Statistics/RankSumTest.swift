/// Whether two groups of answers differ by more than chance: the Mann–Whitney test (Wilcoxon rank-sum test), two-sided.
///
/// H. B. Mann, D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the
/// Other", Annals of Mathematical Statistics 18 (1947). Up to `exactLimit` answers, the p-value is the share of all
/// divisions of the answers into two groups of these sizes that are at least as extreme, ties included; the same as
/// `scipy.stats.mannwhitneyu(x, y, method=PermutationMethod(n_resamples=inf))`. Above, it is the normal approximation
/// with corrections for ties and continuity, as `method="asymptotic"`.
package struct RankSumTest: Hashable, Sendable {
    /// Pairs of an answer of the first group and one of the second in which the first is higher.
    package let higher: Int
    /// Pairs in which the first is lower.
    package let lower: Int
    /// All pairs, including those of equal answers.
    package let pairs: Int
    /// Probability of a result at least as extreme if both groups were drawn from the same answers, 0...1.
    package let p: Double

    /// Answers in both groups up to which the test is exact; 40 take a few million steps.
    static let exactLimit = 40

    /// - Parameters:
    ///   - first: number of answers of each value, from the lowest value to the highest.
    ///   - second: the same of the other group, for the same values.
    package init(_ first: [Int], _ second: [Int]) {
        var higher = 0
        var lower = 0
        for (value, count) in first.enumerated() {
            higher += count * second[..<value].reduce(0, +)
            lower += count * second[(value + 1)...].reduce(0, +)
        }
        self.higher = higher
        self.lower = lower
        let size = first.reduce(0, +)
        pairs = size * second.reduce(0, +)
        let groups = zip(first, second).map { $0 + $1 }
        let all = groups.reduce(0, +)
        if pairs == 0 {
            p = 1
        } else if all <= Self.exactLimit {
            // Twice U, with half a point for each pair of equal answers, plus the least possible rank sum.
            let rankSum = pairs + higher - lower + size * (size + 1)
            p = TwoSided.exact(Self.distribution(of: groups, choosing: size), observed: rankSum)
        } else {
            let (all, pairs) = (Double(all), Double(pairs))
            let ties = groups.reduce(0.0) { $0 + Double($1 * $1 * $1 - $1) }
            p = TwoSided.normal(
                distance: Double(abs(higher - lower)) / 2, step: 1,
                variance: pairs / 12 * (all + 1 - ties / (all * (all - 1))))
        }
    }

    /// In how many ways `size` of the answers have each doubled rank sum.
    private static func distribution(of groups: [Int], choosing size: Int) -> [Double] {
        let all = groups.reduce(0, +)
        let sums = all * (all + 1) + 1
        // One row for each number of chosen answers.
        var ways = Array(repeating: Array(repeating: 0.0, count: sums), count: size + 1)
        ways[0][0] = 1
        var before = 0
        for group in groups {
            let rank = 2 * before + group + 1
            for _ in 0..<group {
                for chosen in stride(from: min(before, size - 1), through: 0, by: -1) {
                    for sum in 0..<(sums - rank) where ways[chosen][sum] > 0 {
                        ways[chosen + 1][sum + rank] += ways[chosen][sum]
                    }
                }
                before += 1
            }
        }
        return ways[size]
    }
}
