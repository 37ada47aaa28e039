import Domain
import Foundation
import TestSupport

/// A simulated team whose sprints are counted and published by the product's own rules.
///
/// Everyone has a level of their own (mean 7, standard deviation 1.2) and days of their own (1.0); each sprint is
/// better or worse for all of them (0.3). 60 to 100 % take part, depending on the team.
struct SimulatedTeam {
    /// Two weeks, in seconds.
    private static let length = 1_209_600.0

    private let team = Team.ID.random()
    private let policy: PublicationPolicy
    private let levels: [Double]
    private let participation: Double
    private var random: SeededGenerator
    private var sprints = 0

    init(seed: Int, policy: PublicationPolicy = .live, members: ClosedRange<Int> = 3...12) {
        random = SeededGenerator(seed: UInt64(seed))
        self.policy = policy
        participation = Double.random(in: 0.6...1, using: &random)
        let count = Int.random(in: members, using: &random)
        var levels: [Double] = []
        for _ in 0..<count { levels.append(min(max(7 + 1.2 * Self.normal(&random), 2), 9.5)) }
        self.levels = levels
    }

    /// The next sprint, closed.
    /// - Parameter change: how much better it is for everyone than the team's usual level.
    mutating func sprint(_ change: Double = 0) throws -> Publication {
        let mood = change + 0.3 * Self.normal(&random)
        var values: [Happiness] = []
        for level in levels where Double.random(in: 0..<1, using: &random) < participation {
            let tenths = Int(((level + mood + Self.normal(&random)) * 10).rounded())
            values.append(try Happiness(tenths: min(max(tenths, 0), 100)))
        }
        var state = PublicationState.initial
        for value in values.shuffled(using: &random) { state.count([value], policy: policy, threshold: 3) }
        state.close(policy: policy, threshold: 3)
        let start = Date(timeIntervalSince1970: Double(sprints) * Self.length)
        let end = start.addingTimeInterval(Self.length)
        let label = SprintLabel(year: 2026 + sprints / 26, number: 1 + sprints % 26)
        sprints += 1
        let sprint = Sprint(
            teamID: team, start: start, end: end, closes: end, label: label, threshold: 3, policy: policy)
        return Publication(SprintRecord(sprint: sprint, state: state, eligible: levels.count))
    }

    /// Sprints with these changes, in order.
    mutating func history(_ changes: [Double]) throws -> [Publication] {
        var history: [Publication] = []
        for change in changes { history.append(try sprint(change)) }
        return history
    }

    /// Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958.
    private static func normal(_ random: inout SeededGenerator) -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude...1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
}
