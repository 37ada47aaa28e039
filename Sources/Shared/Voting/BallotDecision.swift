import Foundation

/// Decides what a batch of ballots changes: which ballots are accepted, and what a store writes for them.
///
/// Pure, and the same for both stores: a store fetches the facts, and writes the decision in one transaction.
struct BallotDecision {
    /// The facts about the voters and the sprints they vote in.
    struct Facts {
        /// `nil` while the query is still running: all voters are then assumed to be admitted.
        var admission: BallotAdmission?
        /// The sprints, with the terms and state that counting needs.
        var sprints: [Sprint.Key: OpenSprint] = [:]
        /// Existing receipts. Empty if the store was not asked; then the insert detects duplicates.
        var receipts: Set<Receipt> = []
    }

    /// The part of a sprint that counting needs.
    struct OpenSprint: Hashable {
        let policy: PublicationPolicy
        let threshold: Int
        let state: PublicationState
    }

    /// The effect of the batch on one sprint.
    struct SprintChange {
        let key: Sprint.Key
        let before: OpenSprint
        let after: PublicationState
    }

    /// The sprints that accepted ballots belong to, in order of their first ballot.
    private(set) var sprintChanges: [SprintChange] = []
    /// The accepted ballots, with the number of the snapshot that will release their feedback.
    let counted: [(ballot: Ballot, snapshot: Int)]
    /// For each ballot, in order, its sprint and the reason if it is rejected.
    private let decisions: [(sprint: Sprint.Key, refusal: BallotOutcome?)]

    /// Decides on `ballots`, in the order in which they arrived.
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

    /// One per ballot, in order; valid once the writes are committed.
    /// - Parameter memberCounts: members of each team, read after the ballots arrived.
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

/// The facts that decide who may vote, as of the moment the store was asked.
struct BallotAdmission {
    /// The user and expiry of each session; ended sessions are missing.
    var sessions: [Session.ID: (userID: User.ID, expires: Date)] = [:]
    /// Voters who are members of the team they vote in.
    var memberships: Set<Member> = []
    /// Number of members of each team.
    var memberCounts: [Team.ID: Int] = [:]

    /// A user in a team.
    struct Member: Hashable {
        let teamID: Team.ID
        let userID: User.ID
    }

    /// The reason why the voter may not cast this ballot; nil if they may.
    func refusal(of ballot: Ballot, at now: Date) -> BallotOutcome? {
        guard let session = sessions[ballot.sessionID], session.userID == ballot.userID, session.expires > now
        else { return .sessionEnded }
        let member = Member(teamID: ballot.sprint.teamID, userID: ballot.userID)
        return memberships.contains(member) ? nil : .notAMember
    }

    /// Whether all ballots are admitted.
    func admitsAll(_ ballots: [Ballot], at now: Date) -> Bool {
        ballots.allSatisfy { refusal(of: $0, at: now) == nil }
    }
}
