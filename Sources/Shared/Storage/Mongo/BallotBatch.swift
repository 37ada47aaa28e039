import Foundation

/// What a batch of ballots does to the store, decided in memory: which count, and what is written for them.
///
/// No input or output: the facts come in, the writes go out.
struct BallotBatch {
    /// What is known of the voters and of the sprints they vote in.
    struct Facts {
        /// Nil while the store is still being asked: then everybody is taken for admitted.
        var admission: BallotAdmission?
        /// The sprints, with the terms and state that counting needs.
        var sprints: [Sprint.Key: OpenSprint] = [:]
        /// Receipts that are there; empty when the store was not asked, and the insertion will tell.
        var receipts: Set<Receipt> = []
    }

    /// The part of a sprint that counting needs.
    struct OpenSprint: Hashable {
        let policy: PublicationPolicy
        let threshold: Int
        let state: PublicationState
    }

    /// What counting does to one sprint.
    struct SprintChange {
        let key: Sprint.Key
        let before: OpenSprint
        let after: PublicationState
    }

    /// The sprints that ballots count in, in order of their first ballot.
    private(set) var sprintChanges: [SprintChange] = []
    /// The ballots that count.
    private(set) var counted: [Ballot] = []
    /// For each ballot, in their order, where it was cast and why it does not count.
    private let decisions: [(sprint: Sprint.Key, refusal: BallotOutcome?)]

    /// Decides over `ballots`, which came in this order.
    init(_ ballots: [Ballot], facts: Facts, at now: Date) {
        var counted: [Ballot] = []
        var receipts = facts.receipts
        var accepted: [Sprint.Key: [Happiness]] = [:]
        var order: [Sprint.Key] = []
        decisions = ballots.map { ballot in
            if let refusal = Self.refusal(of: ballot, facts: facts, at: now) { return (ballot.sprint, refusal) }
            guard receipts.insert(ballot.receipt).inserted else { return (ballot.sprint, .alreadyVoted) }
            if accepted[ballot.sprint] == nil { order.append(ballot.sprint) }
            accepted[ballot.sprint, default: []].append(ballot.happiness)
            counted.append(ballot)
            return (ballot.sprint, nil)
        }
        self.counted = counted
        for key in order {
            guard let before = facts.sprints[key], let values = accepted[key] else { continue }
            var after = before.state
            after.count(values, policy: before.policy, threshold: before.threshold)
            sprintChanges.append(SprintChange(key: key, before: before, after: after))
        }
    }

    /// One for each ballot, in their order; holds once the writes are committed.
    /// - Parameter memberCounts: members of each team, read after the ballots came in.
    func outcomes(memberCounts: [Team.ID: Int]) -> [BallotOutcome] {
        let complete = Set(
            sprintChanges.lazy
                .filter { $0.after.current.count >= memberCounts[$0.key.teamID] ?? .max }
                .map(\.key))
        return decisions.map { $0.refusal ?? .counted(mayComplete: complete.contains($0.sprint)) }
    }

    /// Why a ballot does not count, apart from a receipt that came earlier in the batch.
    private static func refusal(of ballot: Ballot, facts: Facts, at now: Date) -> BallotOutcome? {
        if let refusal = facts.admission?.refusal(of: ballot, at: now) { return refusal }
        guard let sprint = facts.sprints[ballot.sprint], !sprint.state.isClosed else { return .sprintClosed }
        return nil
    }
}

extension BallotBatch.SprintChange {
    /// The number of the snapshot that will release feedback given now.
    var snapshotNumber: Int { before.state.snapshotNumber + 1 }

    /// Whether a snapshot was taken or published.
    var takesSnapshot: Bool {
        after.snapshotNumber != before.state.snapshotNumber || after.publishedNumber != before.state.publishedNumber
    }
}
