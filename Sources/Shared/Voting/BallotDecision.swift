import Foundation

/// Which ballots of a batch count, and what a store writes for them.
///
/// Pure, and the same for both stores: a store fetches the facts, and writes what was decided in one transaction.
struct BallotDecision {
    /// What is known of the voters and of the sprints they vote in.
    struct Facts {
        /// `nil` while the store is still being asked: until then every voter is assumed to be admitted.
        var admission: BallotAdmission?
        /// The sprints, with the terms and state that counting needs.
        var sprints: [Sprint.Key: OpenSprint] = [:]
        /// Receipts that exist; empty if the store was not asked, and then the insertion fails for a second vote.
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
    /// The ballots that count, with the number of the snapshot that will release their feedback.
    let counted: [(ballot: Ballot, snapshot: Int)]
    /// For each ballot, in their order, where it was cast and why it does not count.
    private let decisions: [(sprint: Sprint.Key, refusal: BallotOutcome?)]

    /// Decides over `ballots`, which came in this order.
    init(_ ballots: [Ballot], facts: Facts, at now: Date) {
        var counted: [(ballot: Ballot, snapshot: Int)] = []
        var receipts = facts.receipts
        var accepted: [Sprint.Key: [Happiness]] = [:]
        var order: [Sprint.Key] = []
        decisions = ballots.map { ballot in
            if let refusal = facts.admission?.refusal(of: ballot, at: now) { return (ballot.sprint, refusal) }
            guard let state = facts.sprints[ballot.sprint]?.state, !state.isClosed else {
                return (ballot.sprint, .sprintClosed)
            }
            guard receipts.insert(ballot.receipt).inserted else { return (ballot.sprint, .alreadyVoted) }
            if accepted[ballot.sprint] == nil { order.append(ballot.sprint) }
            accepted[ballot.sprint, default: []].append(ballot.happiness)
            counted.append((ballot, state.snapshotNumber + 1))
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
}

extension BallotDecision.SprintChange {
    /// Whether a snapshot was taken or published.
    var takesSnapshot: Bool {
        after.snapshotNumber != before.state.snapshotNumber || after.publishedNumber != before.state.publishedNumber
    }
}
