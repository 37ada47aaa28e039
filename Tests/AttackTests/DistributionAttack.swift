import Foundation
import TestSupport
import Testing

@testable import Domain

/// A member reads everything that is published about a sprint and tries to infer the others' votes.
///
/// They know the rules, their own ballot, and those of members who share theirs: k - 1 in total, since k of them
/// together would be a group that needs no protection from itself. What they see in addition to count and sum must not
/// reveal the value of any further ballot that the sum alone does not reveal.
@Suite struct DistributionAttack {
    /// Every possible set of ballots, as columns of a distribution, of every team of this size.
    @Test(arguments: [(5, 2), (5, 3), (6, 2), (6, 3), (6, 4), (7, 2), (7, 3)])
    func `The distribution of a sprint published once reveals no ballot`(people: Int, threshold: Int) throws {
        var knownBySum = 0
        var knownByAll = 0
        // Sets of ballots that match a sum and what is shown, by what an observer knows.
        var candidates: [Observation: Set<[Int]>] = [:]
        var sums: [Observation: Set<[Int]>] = [:]
        try Multiset.forEach(count: people) { ballots in
            let shown = try published(ballots, policy: .close, threshold: threshold)
            Multiset.forEachPart(of: ballots, count: threshold - 1) { known in
                let others = Multiset.removing(known, from: ballots)
                let sum = others.reduce(0, +)
                candidates[Observation(known: known, sum: sum, shown: shown), default: []].insert(others)
                sums[Observation(known: known, sum: sum, shown: nil), default: []].insert(others)
            }
        }
        for (observation, others) in candidates where Self.tellsAValue(others) {
            knownByAll += 1
            let bySum = sums[Observation(known: observation.known, sum: observation.sum, shown: nil)] ?? []
            if Self.tellsAValue(bySum) {
                knownBySum += 1
            } else {
                Issue.record("\(observation) tells \(others)")
            }
        }
        #expect(knownByAll == knownBySum)
        // Otherwise the test would check nothing.
        #expect(knownBySum > 0)
        #expect(candidates.keys.contains { $0.shown != nil })
    }

    /// An earlier version showed the sums of all groups and, at the close, the distribution.
    @Test func `Group sums together with a final distribution do reveal ballots`() throws {
        let known = try Self.sprintsInWhichTheFirstVoterKnowsTheirGroup { $0.state.published.distribution }
        #expect(known > 100, "of 200 sprints")
    }

    @Test func `Group sums with what is shown reveal no more than the sums alone`() throws {
        let bySums = try Self.sprintsInWhichTheFirstVoterKnowsTheirGroup { _ in nil }
        let byAll = try Self.sprintsInWhichTheFirstVoterKnowsTheirGroup { Publication($0).distribution }
        #expect(byAll == bySums)
    }

    /// Whether some voter has the same value in every possibility: then all voters must have that value.
    private static func tellsAValue(_ possibilities: Set<[Int]>) -> Bool {
        guard possibilities.count == 1, let only = possibilities.first else { return false }
        return Set(only).count == 1
    }

    /// The distribution of a closed sprint as a member sees it.
    private func published(_ columns: [Int], policy: PublicationPolicy, threshold: Int) throws -> [Int]? {
        var state = PublicationState.initial
        state.count(try columns.map { try Happiness(tenths: $0 * 10) }, policy: policy, threshold: threshold)
        state.close(policy: policy, threshold: threshold)
        return state.visibleDistribution(policy: policy, threshold: threshold)
    }

    /// Sprints under `live` with seven voters and k = 3, who vote one after the other; the same ones each time.
    /// - Parameter distribution: the part of the distribution shown after the close.
    private static func sprintsInWhichTheFirstVoterKnowsTheirGroup(
        _ distribution: (SprintRecord) -> [Int]?
    ) throws -> Int {
        var random = SeededGenerator(seed: 7)
        var known = 0
        for _ in 0..<200 {
            // Realistic votes: mostly between 5 and 9.
            let ballots = (0..<7).map { _ in
                min(
                    10,
                    max(
                        0, Int.random(in: 4...9, using: &random) + [0, 0, 1, -2][Int.random(in: 0..<4, using: &random)])
                )
            }
            var state = PublicationState.initial
            var sums: [Int: Int] = [:]
            for ballot in ballots {
                state.count([try Happiness(tenths: ballot * 10)], policy: .live, threshold: 3)
                sums[state.published.count] = state.published.sum / 10
            }
            state.close(policy: .live, threshold: 3)
            sums[state.published.count] = state.published.sum / 10
            let sprint = Sprint(
                teamID: .random(), start: TestTeam.firstMonday, end: TestTeam.firstMonday, closes: TestTeam.firstMonday,
                label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
            let shown = distribution(SprintRecord(sprint: sprint, state: state, eligible: 7))
            // The first voter's group is the first three; the other four voted later.
            guard let groupSum = sums[3], let total = sums[7] else { continue }
            var possible: Set<[Int]> = []
            for first in 0...10 {
                let second = groupSum - ballots[0] - first
                guard (first...10).contains(second) else { continue }
                if let shown {
                    var left = shown
                    for ballot in [ballots[0], first, second] { left[ballot] -= 1 }
                    let rest = left.enumerated().reduce(0) { $0 + $1.offset * $1.element }
                    guard left.allSatisfy({ $0 >= 0 }), rest == total - groupSum else { continue }
                }
                possible.insert([first, second])
            }
            if possible.count == 1 { known += 1 }
        }
        return known
    }
}

/// The knowledge of an observer of a closed sprint.
private struct Observation: Hashable {
    /// Known ballots, sorted.
    let known: [Int]
    /// Sum of the others.
    let sum: Int
    /// The distribution; `nil` if it is not shown.
    let shown: [Int]?
}

/// Sets of ballots regardless of order: values 0 to 10, sorted.
private enum Multiset {
    static func forEach(count: Int, _ body: ([Int]) throws -> Void) rethrows {
        try extend([], to: count, from: 0, body)
    }

    /// Calls `body` for each distinct subset of `count` ballots.
    static func forEachPart(of ballots: [Int], count: Int, _ body: ([Int]) throws -> Void) rethrows {
        var seen: Set<[Int]> = []
        func choose(_ chosen: [Int], from index: Int) throws {
            if chosen.count == count {
                if seen.insert(chosen).inserted { try body(chosen) }
                return
            }
            for next in index..<ballots.count { try choose(chosen + [ballots[next]], from: next + 1) }
        }
        try withoutActuallyEscaping(body) { _ in try choose([], from: 0) }
    }

    static func removing(_ part: [Int], from ballots: [Int]) -> [Int] {
        var left = ballots
        for ballot in part {
            if let index = left.firstIndex(of: ballot) { left.remove(at: index) }
        }
        return left
    }

    private static func extend(
        _ ballots: [Int], to count: Int, from lowest: Int, _ body: ([Int]) throws -> Void
    ) rethrows {
        if ballots.count == count { return try body(ballots) }
        for column in lowest...10 { try extend(ballots + [column], to: count, from: column, body) }
    }
}
