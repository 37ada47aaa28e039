import Foundation
import Testing

@Suite struct SprintSimulationTests {
    /// Ballots in all; `SIMULATED_BALLOTS` sets another number.
    private static let ballots =
        ProcessInfo.processInfo.environment["SIMULATED_BALLOTS"].flatMap(Int.init) ?? 1_000_000
    /// Parts that run at the same time, each with sprints of its own.
    private static let parts = 2
    /// Sprints between two checks of the commitments, which take long.
    private static let checkEvery = 500

    @Test(arguments: 0..<Self.parts)
    func `However a sprint goes, each ballot counts once, and no two published states are close`(part: Int) async throws
    {
        let people = try SimulatedPeople(count: 24)
        var counted = 0
        var seed = UInt64(part) << 32
        while counted < Self.ballots / Self.parts {
            var sprint = SimulatedSprint(seed: seed, people: people)
            counted += sprint.play()
            if !sprint.violations.isEmpty {
                Issue.record("seed \(seed): \(sprint.violations)")
                break
            }
            if seed.isMultiple(of: UInt64(Self.checkEvery)) { #expect(sprint.isCountRight(), "seed \(seed)") }
            seed += 1
            // Other tests wait for the same threads, some of them with a limit.
            await Task.yield()
        }
        #expect(counted >= Self.ballots / Self.parts)
    }

    @Test(arguments: SimulatedSprint.Defect.allCases)
    func `A server with a defect is found`(defect: SimulatedSprint.Defect) throws {
        let people = try SimulatedPeople(count: 12)
        let found = (UInt64(0)..<200).contains { seed in
            var sprint = SimulatedSprint(seed: seed, people: people, defect: defect)
            _ = sprint.play()
            return !sprint.violations.isEmpty
        }
        #expect(found)
    }
}
