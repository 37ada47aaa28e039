import ArgumentParser
import Dispatch
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

/// Casts any number of ballots in one sprint. The store checks session and membership for each, and the receipts are
/// those of as many made-up people.
private struct Voter {
    let store: any BallotStore
    let secret: BallotSecret
    let session: Session
    let sprint: Sprint.Key
    private let queue = DispatchQueue(label: "ballots")

    /// A team with one member and a sprint that lasts longer than the benchmark.
    static func make(in store: OpenStore, team name: String) async throws -> Voter {
        let team = try await store.addTeam(name)
        let (user, session) = try await store.addUser(name.filter { $0.isLetter || $0.isNumber })
        try await store.stores.teams.add(
            Membership(teamID: team.id, userID: user.id), secret: store.secrets.ballot)
        let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let end = start.addingTimeInterval(86_400)
        let sprint = try await store.stores.sprints.start(
            Sprint(
                teamID: team.id, start: start, end: end, closes: end, label: SprintLabel(year: 9_000, number: 1),
                threshold: team.settings.threshold, policy: team.settings.policy))
        return Voter(
            store: store.stores.ballots, secret: store.secrets.ballot, session: session, sprint: sprint.key)
    }

    private init(store: any BallotStore, secret: BallotSecret, session: Session, sprint: Sprint.Key) {
        self.store = store
        self.secret = secret
        self.session = session
        self.sprint = sprint
    }

    /// - Returns: microseconds a ballot.
    func cast(count: Int) async throws -> Double {
        let happiness = try Happiness(tenths: 70)
        let ballots = (0..<count).map { _ in
            Ballot(
                sessionID: session.id, userID: session.userID, sprint: sprint,
                receipt: Receipt(secret: secret, sprint: sprint, userID: .random()), happiness: happiness,
                feedback: nil)
        }
        let store = store
        // `cast` blocks, which the threads of Swift's tasks must not.
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result {
                        let clock = ContinuousClock()
                        var outcomes: [BallotOutcome] = []
                        let duration = try clock.measure { outcomes = try store.cast(ballots, at: Date()) }
                        guard outcomes.allSatisfy(\.isCounted) else { throw NotCounted() }
                        return duration / .microseconds(count)
                    })
            }
        }
    }

    struct NotCounted: Error {}
}

extension BallotOutcome {
    fileprivate var isCounted: Bool {
        if case .counted = self { true } else { false }
    }
}
