import ArgumentParser
import Foundation
import Services

/// `BenchmarkSeed growth`: compares the cost of a ballot in a sprint with many ballots and in an empty one.
///
/// Both sprints are in the same store and take turns after each group, so that other load on the machine slows down
/// both. The groups are as large as under load.
struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth", abstract: "Compares casting ballots in a full sprint and in an empty one.")

    @Option(help: "Ballots in the full sprint.")
    var ballots = 100_000

    @Option(help: "Rounds, each with a new empty sprint.")
    var rounds = 5

    /// Number of ballots cast at once.
    private static let groupSize = 64
    /// Groups per round in each of the two sprints.
    private static let groupsPerRound = 100

    private struct Round: Encodable {
        /// Microseconds per ballot, medians over the round's groups.
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
                // The very first group fills every cache with the sprint's page, which is not part of the cost of
                // growth.
                _ = try await empty.cast(count: Self.groupSize)
                var times: (empty: [Double], full: [Double]) = ([], [])
                for group in 0..<Self.groupsPerRound {
                    // They alternate in going first, since pending writes of one may slow down the next.
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
