import Domain
import TestSupport
import Testing

/// The tests behind "probably", against scipy 1.17.1 and against counting every case.
///
/// The p-values were printed by this Python, with the arguments of each test:
///
///     from scipy.stats import *
///     every = PermutationMethod(n_resamples=float("inf"))
///     wilcoxon(d, method=every).pvalue            # 25 differences: method="exact", there are no ties
///     mannwhitneyu(x, y, method=every).pvalue     # 40 and 45 answers: method="asymptotic"
///     kendalltau(range(len(y)), y, method="exact").pvalue   # 60 values: method="asymptotic"; ties: permutation_test
///     theilslopes(y, range(len(y)), 0.95)
@Suite struct StatisticsTests {
    @Test(
        arguments: [
            ([1, 2, 3, 4, 5, 6], 0.03125),
            ([-1, 2, -3, 4, 5, 6, 7, 8], 0.0546875),
            ([-0.3, -0.8, 0.2, -1.1, -0.4, -0.9, 0.1, -0.6, -0.7, -0.5, -1.2], 0.0048828125),
            // With ties, and a difference of zero.
            ([0.5, -0.5, 1, 1, 0, 2, -1.5, 2, 3], 0.1328125),
            ([0, 0], 1), ([], 1),
        ] as [([Double], Double)])
    func `Signed ranks have scipy's p-value`(differences: [Double], p: Double) {
        expectEqual(SignedRankTest(differences: differences).p, p)
    }

    @Test func `A year of signed ranks has scipy's p-value`() {
        let differences = (0..<25).map { (index: Int) -> Double in
            let tenths = Double(index * 37 % 23 - 8)
            return tenths / 10 + 0.013 * Double(index)
        }
        expectEqual(SignedRankTest(differences: differences).p, 0.011453330516815186)
    }

    @Test func `Differences that are equal on paper share a rank`() {
        // As Double, the first three differ in the last digit.
        let test = SignedRankTest(differences: [0.1 + 0.2, 0.3, -(7.3 - 7), 1])
        #expect(test.p == SignedRankTest(differences: [3, 3, -3, 10]).p)
        #expect(test.rises == 3 && test.falls == 1 && test.pairs == 4)
    }

    @Test(arguments: [
        ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.007936507936507936),
        ([5, 6, 7, 7, 8], [4, 5, 5, 6, 7, 3], 0.12121212121212122),
        ([7, 7, 8, 9, 6, 8], [5, 6, 6, 7, 5, 4], 0.021645021645021644),
        ([9, 9, 8, 9, 10, 7], [8, 8, 7, 6, 8, 9, 5], 0.08158508158508158),
        ((0..<40).map { ($0 * 7) % 11 }, (0..<45).map { min(10, ($0 * 5) % 11 + 1) }, 0.2844303018863624),
    ])
    func `Rank sums have scipy's p-value`(first: [Int], second: [Int], p: Double) {
        expectEqual(RankSumTest(Self.columns(first), Self.columns(second)).p, p)
        expectEqual(RankSumTest(Self.columns(second), Self.columns(first)).p, p)
    }

    @Test(
        arguments: [
            ([5, 6, 7, 8, 9], 0.016666666666666666, 1, 1, 1),
            (
                [7.4, 7.1, 7.3, 6.9, 6.8, 7.0, 6.5, 6.4], 0.005505952380952381, -0.1291666666666666, -0.2, -0.08
            ),
            (
                [8, 7.9, 8.1, 7.7, 7.6, 7.8, 7.2, 7.3, 7.0, 6.9, 7.1, 6.6], 0.00010742344075677409, -0.125, -0.15, -0.1
            ),
            // With ties.
            ([7, 6.5, 6.5, 6, 7, 5.5, 6], 0.16825396825396827, -0.25, -0.5, 1.0 / 6),
        ] as [([Double], Double, Double, Double, Double)])
    func `Trends have scipy's p-value and slope`(
        values: [Double], p: Double, slope: Double, least: Double, most: Double
    ) throws {
        let test = try #require(Self.trend(values))
        expectEqual(test.p, p)
        expectEqual(test.slope, slope)
        expectEqual(test.slopes.lowerBound, least)
        expectEqual(test.slopes.upperBound, most)
    }

    @Test func `A long trend has scipy's approximate p-value, less the correction`() throws {
        let values = (0..<60).map { (index: Int) -> Double in
            let tenths = Double(index * 13 % 17)
            return 7 + tenths / 10 - 0.02 * Double(index)
        }
        let test = try #require(Self.trend(values))
        #expect(test.rises - test.falls == -550)
        // scipy has no correction for continuity: 0.00045172598702565.
        #expect(test.p > 0.000451725987 && test.p < 0.00047)
    }

    @Test(arguments: 1...40)
    func `Small samples have the p-value of counting every case`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func values(_ count: Int) -> [Int] { (0..<count).map { _ in Int.random(in: 3...7, using: &random) } }

        let differences = values(6).map { $0 - 5 }
        let signs = (0..<64).map { signs in
            differences.enumerated().map { signs >> $0.offset & 1 == 0 ? $0.element : -$0.element }
        }
        func balance(_ values: [Int]) -> Int { SignedRankTest(differences: values.map(Double.init)).balance }
        expectEqual(
            SignedRankTest(differences: differences.map(Double.init)).p,
            Self.p(of: balance(differences), among: signs.map(balance)))

        let answers = values(7)
        let divisions = (0..<128).filter { $0.nonzeroBitCount == 3 }.map { chosen in
            let (first, second) = (
                answers.indices.filter { chosen >> $0 & 1 == 1 }, answers.indices.filter { chosen >> $0 & 1 == 0 }
            )
            return RankSumTest(Self.columns(first.map { answers[$0] }), Self.columns(second.map { answers[$0] }))
        }
        let statistics = divisions.map { $0.higher - $0.lower }
        for division in divisions.prefix(5) {
            expectEqual(division.p, Self.p(of: division.higher - division.lower, among: statistics))
        }

        let series = values(5)
        let orders = try Self.orders(series).map { try #require(Self.trend($0.map(Double.init))) }
        expectEqual(
            orders[0].p, Self.p(of: orders[0].rises - orders[0].falls, among: orders.map { $0.rises - $0.falls }))
    }

    @Test func `Results without any difference are no evidence`() throws {
        #expect(RankSumTest([0, 3, 0], [0, 4, 0]).p == 1)
        #expect(RankSumTest([0, 30, 0], [0, 40, 0]).p == 1)
        #expect(RankSumTest([0, 0], [1, 2]).p == 1)
        #expect(try #require(Self.trend([7, 7, 7])).p == 1)
        #expect(try #require(Self.trend(Array(repeating: 7, count: 60))).p == 1)
        #expect(Self.trend([7]) == nil)
    }

    /// Twice the share of results at least as far on one side, whichever side has fewer.
    private static func p(of result: Int, among all: [Int]) -> Double {
        let below = all.count { $0 <= result }
        let above = all.count { $0 >= result }
        return min(1, 2 * Double(min(below, above)) / Double(all.count))
    }

    private static func trend(_ values: [Double]) -> TrendTest? {
        TrendTest(values.enumerated().map { (time: Double($0.offset), value: $0.element) })
    }

    /// How many answers each value 0...10 has.
    private static func columns(_ answers: [Int]) -> [Int] {
        (0...10).map { value in answers.count { $0 == value } }
    }

    /// All orders, the given one first.
    private static func orders(_ values: [Int]) -> [[Int]] {
        guard let first = values.first else { return [[]] }
        let rest = orders(Array(values.dropFirst()))
        return values.indices.flatMap { place in
            rest.map { Array($0[..<place]) + [first] + Array($0[place...]) }
        }
    }
}

/// Expects equality up to the rounding of sums.
private func expectEqual(_ value: Double, _ expected: Double, at location: SourceLocation = #_sourceLocation) {
    #expect(abs(value - expected) < 1e-12, "\(value) instead of \(expected)", sourceLocation: location)
}
