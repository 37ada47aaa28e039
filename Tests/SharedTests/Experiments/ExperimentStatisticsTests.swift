import TestSupport
import Testing

@testable import Domain

/// The numbers of an experiment's report.
@Suite struct ExperimentStatisticsTests {
    /// The examples of Newcombe 1998, Statistics in Medicine 17:873–890, table II, method 10.
    @Test(arguments: [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (6, 7, 2, 7, 0.0582, 0.8062),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (0, 10, 0, 10, -0.2775, 0.2775),
        (10, 10, 0, 20, 0.6791, 1.0000),
        (10, 10, 0, 10, 0.6075, 1.0000),
    ])
    func `The interval is that of the published examples`(
        votedA: Int, membersA: Int, votedB: Int, membersB: Int, low: Double, high: Double
    ) throws {
        let difference = try #require(
            ProportionDifference(Self.counts(a: (votedA, membersA), b: (votedB, membersB))))
        let value = Double(votedA) / Double(membersA) - Double(votedB) / Double(membersB)
        #expect(abs(difference.value - value) < 1e-12)
        #expect(abs(difference.low - low) < 0.00005 && abs(difference.high - high) < 0.00005)
    }

    @Test func `The interval contains the difference, stays on scale and turns with the sides`() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<2_000 {
            let members = (Int.random(in: 1...300, using: &generator), Int.random(in: 1...300, using: &generator))
            let voted = (
                Int.random(in: 0...members.0, using: &generator), Int.random(in: 0...members.1, using: &generator)
            )
            let one = try #require(
                ProportionDifference(Self.counts(a: (voted.0, members.0), b: (voted.1, members.1))))
            let other = try #require(
                ProportionDifference(Self.counts(a: (voted.1, members.1), b: (voted.0, members.0))))
            #expect(-1 <= one.low && one.low <= one.value && one.value <= one.high && one.high <= 1)
            #expect(one.low < one.high)
            #expect(abs(one.low + other.high) < 1e-12 && abs(one.high + other.low) < 1e-12)
            // Ten times as many members are more conclusive.
            let more = try #require(
                ProportionDifference(
                    Self.counts(a: (10 * voted.0, 10 * members.0), b: (10 * voted.1, 10 * members.1))))
            #expect(more.high - more.low < one.high - one.low)
        }
    }

    @Test func `Without people there is no difference`() {
        #expect(ProportionDifference(ExperimentCounts()) == nil)
        #expect(ProportionDifference(Self.counts(a: (3, 7), b: (0, 0))) == nil)
    }

    @Test(
        arguments: [
            ([(30, 50, 30, 50)], .noDifferenceShown),
            ([(56, 70, 48, 80)], .aBetter),
            ([(48, 80, 56, 70)], .bBetter),
            // 5 of 10 against 5 of 10: 40 points either way.
            ([(5, 10, 5, 10)], .tooFew),
            ([], .tooFew),
            // A wide interval that does not contain 0.
            ([(9, 10, 3, 10)], .aBetter),
            // The same people in four sprints are no more people.
            ([(28, 40, 20, 40)], .tooFew),
            ([(28, 40, 20, 40), (28, 40, 20, 40), (28, 40, 20, 40), (28, 40, 20, 40)], .tooFew),
            ([(8, 12, 4, 12), (9, 12, 4, 12), (8, 12, 3, 12), (9, 12, 5, 12)], .tooFew),
        ] as [([(Int, Int, Int, Int)], ExperimentReport.Verdict)])
    func `A report says what its sum shows`(sprints: [(Int, Int, Int, Int)], verdict: ExperimentReport.Verdict) throws {
        let measured = sprints.map { sprint in
            ExperimentResult.measured(Self.counts(a: (sprint.0, sprint.1), b: (sprint.2, sprint.3)))
        }
        let report = Self.report(measured + [.withheld, .missed, nil])
        #expect(report.verdict == verdict)
        #expect((report.difference == nil) == sprints.isEmpty)
        #expect(report.counts.a.members == sprints.map(\.1).reduce(0, +))
        #expect(report.counts.b.voted == sprints.map(\.2).reduce(0, +))
    }

    @Test func `More sprints of the same people do not make the interval narrower`() throws {
        let one = try #require(ProportionDifference(Self.counts(a: (28, 40), b: (20, 40))))
        let ten = try #require(ProportionDifference(Self.counts(a: (280, 400), b: (200, 400)), sprints: 10))
        #expect(abs(one.value - ten.value) < 1e-12)
        #expect(abs(one.low - ten.low) < 1e-12 && abs(one.high - ten.high) < 1e-12)
    }

    /// Sixty people, each with a chance of their own to vote, which does not depend on the wording.
    @Test(arguments: [1, 13])
    func `Of teams to whom both wordings mean the same, at most 5 % are told that one is better`(sprints: Int) {
        let teams = 300
        let misled = (1...teams).count { seed in
            var random = SeededGenerator(seed: UInt64(seed))
            var people: [(chance: Double, isA: Bool)] = []
            for _ in 0..<60 {
                people.append((Double.random(in: 0..<1, using: &random).squareRoot(), Bool.random(using: &random)))
            }
            var results: [ExperimentResult] = []
            for _ in 0..<sprints {
                var counts = ExperimentCounts()
                for person in people {
                    let side = person.isA ? ReminderExperiment.Side.a : .b
                    counts[side].members += 1
                    if Double.random(in: 0..<1, using: &random) < person.chance { counts[side].voted += 1 }
                }
                results.append(.measured(counts))
            }
            return [.aBetter, .bBetter].contains(Self.report(results).verdict)
        }
        // Three standard errors.
        #expect(Double(misled) / Double(teams) <= 0.05 + 3 * (0.05 * 0.95 / Double(teams)).squareRoot())
    }

    private static func counts(a: (Int, Int), b: (Int, Int)) -> ExperimentCounts {
        ExperimentCounts(a: SideCounts(members: a.1, voted: a.0), b: SideCounts(members: b.1, voted: b.0))
    }

    private static func report(_ results: [ExperimentResult?]) -> ExperimentReport {
        let sprint = Sprint(
            teamID: .random(), start: SprintTestData.start, end: SprintTestData.end, closes: SprintTestData.end,
            label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
        return ExperimentReport(sprints: results.map { .init(sprint: sprint, result: $0) })
    }
}
