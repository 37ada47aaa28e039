import ArgumentParser
import Foundation
import Shared

/// `BenchmarkSeed growth`: what a ballot costs in a sprint that has many, and in one that has none.
///
/// Both sprints are in the same store and take turns, group by group, so that whatever else slows the machine down slows
/// both. The groups are as large as under load.
struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth", abstract: "Compares casting ballots in a full sprint and in an empty one.")

    @Option(help: "Ballots in the full sprint.")
    var ballots = 100_000

    @Option(help: "Rounds, each with a new empty sprint.")
    var rounds = 5

    /// Ballots that are cast at once.
    private static let groupSize = 64
    /// Groups a round casts in each of the two sprints.
    private static let groupsPerRound = 100

    private struct Round: Encodable {
        /// Microseconds a ballot, medians over the round's groups.
        let empty: Double
        let full: Double
    }

    func run() async throws {
        try await OpenStore.with { store in
            let full = try await Voter.make(in: store, team: "Growth, full")
            for _ in 0..<(ballots / BallotBox.maximumBatch) {
                _ = try await full.cast(count: BallotBox.maximumBatch)
            }
            var results: [Round] = []
            for round in 1...rounds {
                let empty = try await Voter.make(in: store, team: "Growth, empty \(round)")
                // The very first group pays for the sprint's page in every cache; it is no part of what growth costs.
                _ = try await empty.cast(count: Self.groupSize)
                var times: (empty: [Double], full: [Double]) = ([], [])
                for group in 0..<Self.groupsPerRound {
                    // Each goes first every other time, for what one leaves to be written may slow down the next.
                    if group.isMultiple(of: 2) { times.empty.append(try await empty.cast(count: Self.groupSize)) }
                    times.full.append(try await full.cast(count: Self.groupSize))
                    if !group.isMultiple(of: 2) { times.empty.append(try await empty.cast(count: Self.groupSize)) }
                }
                results.append(Round(empty: Self.median(times.empty), full: Self.median(times.full)))
            }
            try printJSON(results)
        }
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
