import Domain
import TestSupport
import Testing

/// When a change is called probable: how often wrongly, and how often a real one is found.
///
/// The same shares of 1,500 teams are in `docs/statistics.md`.
@Suite struct EvidenceTests {
    private static let steady = Array(repeating: 0.0, count: 7)
    private static let drop = Array(repeating: -1.0, count: 6)

    /// The share of simulated teams for which something is true.
    private static func share(of teams: Int = 300, _ isTrue: (Int) throws -> Bool) rethrows -> Double {
        Double(try (1...teams).count(where: isTrue)) / Double(teams)
    }

    /// A sentence says that without a change as much comes up “in at most 1 of N comparisons”: of 300 teams that do not
    /// change, no more than that may read it. Three standard errors are allowed for each N.
    private static func expectTrueSentences(_ evidence: (Int) throws -> Evidence?) rethrows {
        let teams = 300
        let found = try (1...teams).compactMap(evidence)
        #expect(Double(found.count) / Double(teams) <= Evidence.level)
        for times in [20, 50, 100] {
            let claimed = 1 / Double(times)
            let read = Double(found.count { $0.times >= times }) / Double(teams)
            let error = (claimed * (1 - claimed) / Double(teams)).squareRoot()
            #expect(read <= claimed + 3 * error, "1 of \(times)")
        }
    }

    /// The same sprints of two years, the second one changed by `change`.
    private static func years(_ seed: Int, count: Int = 25, change: Double = 0) throws -> Evidence? {
        var team = SimulatedTeam(seed: seed)
        let before = try team.history(Array(repeating: 0, count: count))
        let now = try team.history(Array(repeating: change, count: count))
        return Evidence(sameSprints: zip(now, before).map { (now: $0, before: $1) })
    }

    /// Two sprints of a team that publishes the distribution of its answers from five on.
    private static func answers(_ seed: Int, change: Double = 0) throws -> Evidence? {
        var team = SimulatedTeam(seed: seed, policy: .immediate)
        let before = try team.sprint()
        return Evidence(answersOf: try team.sprint(change), since: before)
    }

    /// Seven steady sprints, then six with these changes.
    private static func trend(_ seed: Int, _ changes: [Double]) throws -> Evidence? {
        var team = SimulatedTeam(seed: seed)
        return SprintTrend(try team.history(steady + changes))?.evidence
    }

    @Test func `Of teams that do not change, at most 5 % seem to differ from the year before`() throws {
        try Self.expectTrueSentences { try Self.years($0) }
    }

    @Test func `Of teams that do not change, at most 5 % seem to differ from the last sprint`() throws {
        try Self.expectTrueSentences { try Self.answers($0) }
    }

    @Test func `Of teams that do not change, at most 5 % seem to have a trend`() throws {
        try Self.expectTrueSentences { try Self.trend($0, Array(Self.steady.dropLast())) }
    }

    @Test func `The interval of a trend leaves out the true one in at most 5 % of teams`() throws {
        let wrong = try Self.share { seed in
            var team = SimulatedTeam(seed: seed)
            let values = try team.history(Array(repeating: 0, count: SprintTrend.period)).enumerated()
                .compactMap { index, sprint in sprint.happiness.map { (time: Double(index), value: $0) } }
            return TrendTest(values).map { !$0.slopes.contains(0) } ?? false
        }
        #expect(wrong <= Evidence.level + 3 * (Evidence.level * (1 - Evidence.level) / 300).squareRoot())
    }

    @Test(.thorough) func `In half of the teams a year of looks shows a trend by chance`() throws {
        let share = try Self.share(of: 100) { seed in
            var team = SimulatedTeam(seed: seed)
            let history = try team.history(Array(repeating: 0, count: SprintTrend.period + 25))
            return (SprintTrend.period...history.count).contains { SprintTrend(Array(history[..<$0])) != nil }
        }
        #expect(share < 0.6)
    }

    @Test(.thorough) func `A drop of one point over six sprints is often found`() throws {
        let gradual = (1...6).map { -Double($0) / 6 }
        #expect(try Self.share { try Self.years($0, count: 6, change: -1)?.change == .fall } > 0.35)
        #expect(try Self.share { try Self.trend($0, Self.drop)?.change == .fall } > 0.4)
        #expect(try Self.share { try Self.trend($0, gradual)?.change == .fall } > 0.25)
    }

    @Test func `Only two closed sprints with published answers are compared answer by answer`() throws {
        var live = SimulatedTeam(seed: 1, members: 9...9)
        let hidden = [try live.sprint(), try live.sprint(-6)]
        #expect(Evidence(answersOf: hidden[1], since: hidden[0]) == nil)
        var open = SimulatedTeam(seed: 1, policy: .immediate, members: 9...9)
        let shown = [try open.sprint(), try open.sprint(-6)]
        #expect(Evidence(answersOf: shown[1], since: shown[0])?.change == .fall)
        #expect(Evidence(answersOf: shown[0], since: shown[1])?.change == .rise)
        #expect(Evidence(answersOf: hidden[1], since: shown[0]) == nil)
    }

    @Test func `Bounds go before chance, and a test that contradicts the values is not used`() throws {
        var team = SimulatedTeam(seed: 1, policy: .immediate, members: 9...9)
        let (before, now) = (try team.sprint(), try team.sprint(-6))
        let fall = try #require(Evidence(answersOf: now, since: before))
        let high = try #require(PossibleMean(before, memberCount: 9))
        let low = try #require(PossibleMean(now, memberCount: 9))
        #expect(Certainty(of: low, since: high, evidence: fall) == .certain(.fall))
        let wide = try #require(PossibleMean(pooling: [before, now]))
        #expect(Certainty(of: wide, since: wide, evidence: fall) == .probable(.fall, fall))
        #expect(Certainty(of: wide, since: wide, evidence: nil) == .unclear)
        let rise = try #require(Evidence(answersOf: before, since: now))
        #expect(Certainty(of: low, since: high, evidence: rise) == .certain(.fall))
    }
}
