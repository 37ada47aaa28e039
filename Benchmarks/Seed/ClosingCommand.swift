import ArgumentParser
import Domain
import Services

/// `BenchmarkSeed closing`: measures closing and clearing a sprint in which every ballot has a text, and casting its
/// ballots.
struct ClosingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "closing", abstract: "Compares closing a sprint with casting its ballots.")

    @Option(help: "Ballots in a sprint.")
    var ballots = 512

    @Option(help: "Rounds, each with a new sprint.")
    var rounds = 9

    @Option(help: "Starts the teams' names, so that the command can run again.")
    var name = "Closing"

    /// Number of ballots cast at once.
    private static let groupSize = 64

    private struct Round: Encodable {
        /// Microseconds per ballot.
        let casting: Double
        let closing: Double
    }

    func run() async throws {
        let text = try FeedbackText(String(repeating: "Fewer meetings. ", count: 20))
        try await OpenStore.with { store in
            let closing = SprintClosing(stores: store.stores, secret: store.secrets.ballot)
            var results: [Round] = []
            for round in 1...rounds {
                let voter = try await Voter.make(in: store, team: "\(name) \(round)")
                var casting = 0.0
                for first in stride(from: 0, to: ballots, by: Self.groupSize) {
                    let count = min(Self.groupSize, ballots - first)
                    casting += try await voter.cast(count: count, feedback: text) * Double(count)
                }
                let duration = try await ContinuousClock().measure { _ = try await closing.close(voter.sprint) }
                results.append(
                    Round(casting: casting / Double(ballots), closing: duration / .microseconds(ballots)))
            }
            try printJSON(results)
        }
    }
}
