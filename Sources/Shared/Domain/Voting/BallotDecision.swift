package import Foundation

/// Decides what a batch of ballots changes: which ballots are accepted, and what a store writes for them.
///
/// Pure, and the same for both stores: a store fetches the facts, and writes the decision in one transaction.
package struct BallotDecision {
    /// The facts about the voters and the sprints they vote in.
    package struct Facts {
        /// `nil` while the query is still running: all voters are then assumed to be admitted.
        package var admission: BallotAdmission?
        /// The sprints, with the terms and state that counting needs.
        package var sprints: [Sprint.Key: OpenSprint] = [:]
        /// Existing receipts. Empty if the store was not asked; then the insert detects duplicates.
        package var receipts: Set<Receipt> = []

        /// Facts read in the transaction that casts.
        package init(
            admission: BallotAdmission? = nil, sprints: [Sprint.Key: OpenSprint] = [:], receipts: Set<Receipt> = []
        ) {
            self.admission = admission
            self.sprints = sprints
            self.receipts = receipts
        }
    }

    /// The part of a sprint that counting needs.
    package struct OpenSprint: Hashable {
        package let policy: PublicationPolicy
        package let threshold: Int
        package let state: PublicationState

        /// A sprint as it was read in that transaction.
        package init(policy: PublicationPolicy, threshold: Int, state: PublicationState) {
            self.policy = policy
            self.threshold = threshold
            self.state = state
        }
    }

    /// The effect of the batch on one sprint.
    package struct SprintChange {
        package let key: Sprint.Key
        package let before: OpenSprint
        package let after: PublicationState
    }

    /// The sprints that accepted ballots belong to, in order of their first ballot.
    package private(set) var sprintChanges: [SprintChange] = []
    /// The accepted ballots, with the number of the snapshot that will release their feedback.
    package let counted: [(ballot: Ballot, snapshot: Int)]
    /// For each ballot, in order, its sprint and the reason if it is rejected.
    private let decisions: [(sprint: Sprint.Key, refusal: BallotOutcome?)]

    /// Decides on `ballots`, in the order in which they arrived.
    package init(_ ballots: [Ballot], facts: Facts, at now: Date) {
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
    package func outcomes(memberCounts: [Team.ID: Int]) -> [BallotOutcome] {
        let complete = Set(
            sprintChanges.lazy
                .filter { $0.after.current.count >= memberCounts[$0.key.teamID] ?? .max }
                .map(\.key))
        return decisions.map { $0.refusal ?? .counted(mayComplete: complete.contains($0.sprint)) }
    }
}

extension BallotDecision.SprintChange {
    /// Whether a snapshot was taken or published.
    package var takesSnapshot: Bool {
        after.snapshotNumber != before.state.snapshotNumber || after.publishedNumber != before.state.publishedNumber
    }
}

/// The facts that decide who may vote, as of the moment the store was asked.
package struct BallotAdmission {
    /// The user and expiry of each session; ended sessions are missing.
    package var sessions: [Session.ID: (userID: User.ID, expires: Date)] = [:]
    /// Voters who are members of the team they vote in.
    package var memberships: Set<Member> = []
    /// Number of members of each team.
    package var memberCounts: [Team.ID: Int] = [:]

    /// Facts about the voters, read in that transaction.
    package init(
        sessions: [Session.ID: (userID: User.ID, expires: Date)] = [:], memberships: Set<Member> = [],
        memberCounts: [Team.ID: Int] = [:]
    ) {
        self.sessions = sessions
        self.memberships = memberships
        self.memberCounts = memberCounts
    }

    /// A user in a team.
    package struct Member: Hashable {
        package let teamID: Team.ID
        package let userID: User.ID

        /// Names one membership.
        package init(teamID: Team.ID, userID: User.ID) {
            self.teamID = teamID
            self.userID = userID
        }
    }

    /// The reason why the voter may not cast this ballot; nil if they may.
    func refusal(of ballot: Ballot, at now: Date) -> BallotOutcome? {
        guard let session = sessions[ballot.sessionID], session.userID == ballot.userID, session.expires > now
        else { return .sessionEnded }
        let member = Member(teamID: ballot.sprint.teamID, userID: ballot.userID)
        return memberships.contains(member) ? nil : .notAMember
    }

    /// Whether all ballots are admitted.
    package func admitsAll(_ ballots: [Ballot], at now: Date) -> Bool {
        ballots.allSatisfy { refusal(of: $0, at: now) == nil }
    }
}
