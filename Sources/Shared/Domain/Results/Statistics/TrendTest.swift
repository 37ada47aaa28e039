/// Whether values rise or fall in the course of time: the Mann–Kendall test, two-sided, with Sen's slope.
///
/// H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13 (1945); M. G. Kendall, "Rank Correlation Methods"
/// (1948). Up to `exactLimit` values, the p-value is the share of all orders of these values that are at least as
/// extreme, ties included; the same as `scipy.stats.kendalltau(x, y, method="exact")`, which accepts no ties. Above, it
/// is the normal approximation with corrections for ties and continuity.
///
/// The slope is the median of the slopes of all pairs: P. K. Sen, "Estimates of the Regression Coefficient Based on
/// Kendall's Tau", Journal of the American Statistical Association 63 (1968), as in `scipy.stats.theilslopes`.
package struct TrendTest: Hashable, Sendable {
    /// Pairs of values of which the later is higher.
    package let rises: Int
    /// Pairs of which the later is lower.
    package let falls: Int
    /// All pairs, including those of equal values.
    package let pairs: Int
    /// Probability of a result at least as extreme if every order of the values were equally likely, 0...1.
    package let p: Double
    /// Median change per unit of time.
    package let slope: Double
    /// The 95 % confidence interval of the slope, by the normal approximation of the same paper.
    package let slopes: ClosedRange<Double>

    /// Number of values up to which the test is exact.
    static let exactLimit = 50
    /// The 97.5th percentile of the standard normal distribution.
    private static let quantile = 1.959963984540054

    /// - Parameter values: at least two, with increasing times.
    package init?(_ values: [(time: Double, value: Double)]) {
        guard values.count > 1 else { return nil }
        var slopes: [Double] = []
        for (index, earlier) in values.enumerated() {
            for later in values[(index + 1)...] {
                slopes.append((later.value - earlier.value) / (later.time - earlier.time))
            }
        }
        slopes.sort()
        let rises = slopes.count { $0 > 0 }
        let falls = slopes.count { $0 < 0 }
        self.rises = rises
        self.falls = falls
        pairs = slopes.count
        let groups = MidRanks(values.map(\.value)).groups
        let variance = Self.variance(values.count) - groups.reduce(0) { $0 + Self.variance($1) }
        if values.count <= Self.exactLimit {
            p = TwoSided.exact(Self.inversions(of: groups), observed: falls)
        } else {
            p = TwoSided.normal(distance: Double(abs(rises - falls)), step: 2, variance: variance)
        }
        let middle = slopes.count / 2
        slope = slopes.count.isMultiple(of: 2) ? (slopes[middle - 1] + slopes[middle]) / 2 : slopes[middle]
        let half = Self.quantile * variance.squareRoot()
        let lowest = Int(((Double(slopes.count) - half) / 2).rounded(.toNearestOrEven)) - 1
        let highest = Int(((Double(slopes.count) + half) / 2).rounded(.toNearestOrEven))
        self.slopes = slopes[max(lowest, 0)]...slopes[min(highest, slopes.count - 1)]
    }

    /// The variance of rises minus falls among `count` values without ties; a group of ties reduces it by the same
    /// term.
    private static func variance(_ count: Int) -> Double {
        Double(count * (count - 1) * (2 * count + 5)) / 18
    }

    /// How likely each number of falling pairs is among all orders of groups of equal values.
    ///
    /// Groups are added from the lowest value up. Where t equal values can stand among m lower ones, the number of
    /// falling pairs has the Gaussian binomial coefficient "m + t over t" as its generating function (R. P. Stanley,
    /// "Enumerative Combinatorics", volume 1, section 1.7).
    private static func inversions(of groups: [Int]) -> [Double] {
        var weights = [1.0]
        var lower = 0
        for group in groups {
            let factor = gaussianBinomial(lower, group)
            let total = factor.reduce(0, +)
            var product = Array(repeating: 0.0, count: weights.count + factor.count - 1)
            for (index, weight) in weights.enumerated() where weight > 0 {
                for (more, ways) in factor.enumerated() {
                    product[index + more] += weight * (Double(ways) / Double(total))
                }
            }
            weights = product
            lower += group
        }
        return weights
    }

    /// The coefficients of the product of (1 - q^(m + i)) / (1 - q^i) for i = 1...t; exact up to m + t = 60.
    private static func gaussianBinomial(_ m: Int, _ t: Int) -> [Int] {
        guard m > 0 else { return [1] }
        // Powers above m · t cancel out in the end, so they may be left out from the start.
        var coefficients = Array(repeating: 0, count: m * t + 1)
        coefficients[0] = 1
        for factor in 1...t {
            for power in stride(from: m * t, through: 0, by: -1) where power >= m + factor {
                coefficients[power] -= coefficients[power - m - factor]
            }
            for power in 0...(m * t) where power >= factor {
                coefficients[power] += coefficients[power - factor]
            }
        }
        return coefficients
    }
}
