import Dispatch
import Domain
import Foundation
import Services
import Storage

/// Casts any number of ballots in one sprint. The store checks session and membership for each; the receipts are those
/// of as many made-up users.
struct Voter {
    let sprint: Sprint.Key
    private let store: any BallotStore
    private let secret: BallotSecret
    private let session: Session
    private let queue = DispatchQueue(label: "ballots")

    /// A team with one member and a sprint that outlives the benchmark.
    static func make(in store: OpenStore, team name: String) async throws -> Voter {
        let team = try await store.addTeam(name)
        let (user, session) = try await store.addUser(name.filter { $0.isLetter || $0.isNumber })
        try await store.stores.transaction {
            try $0.add(Membership(teamID: team.id, userID: user.id), secret: store.secrets.ballot)
        }
        let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let end = start.addingTimeInterval(86_400)
        let sprint = try await store.stores.transaction {
            try $0.start(
                Sprint(
                    teamID: team.id, start: start, end: end, closes: end, label: SprintLabel(year: 9_000, number: 1),
                    threshold: team.settings.threshold, policy: team.settings.policy))
        }
        return Voter(in: store, session: session, sprint: sprint.key)
    }

    /// - Parameters:
    ///   - session: of a member of the sprint's team.
    ///   - sprint: an open one.
    init(in store: OpenStore, session: Session, sprint: Sprint.Key) {
        self.store = store.stores.ballots
        secret = store.secrets.ballot
        self.session = session
        self.sprint = sprint
    }

    /// Casts any number of ballots, as many at once as a ballot box does.
    func castAll(count: Int) async throws {
        for first in stride(from: 0, to: count, by: BallotBox.maximumBatch) {
            _ = try await cast(count: min(BallotBox.maximumBatch, count - first))
        }
    }

    /// Casts ballots at once.
    /// - Parameter feedback: sent with each ballot.
    /// - Returns: microseconds per ballot.
    func cast(count: Int, feedback: FeedbackText? = nil) async throws -> Double {
        let happiness = try Happiness(tenths: 70)
        let ballots = try (0..<count).map { _ in
            try Ballot(
                voter: Ballot.Voter(
                    sessionID: session.id, userID: session.userID,
                    receipt: Receipt(secret: secret, sprint: sprint, userID: .random())),
                sprint: sprint, happiness: happiness,
                feedback: feedback.map { try SealedFeedback($0, in: sprint, secret: secret) })
        }
        let store = store
        // `cast` blocks, which is not allowed on the threads of Swift's tasks.
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
