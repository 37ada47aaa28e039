import Foundation

/// What a batch of ballots does to the store, decided in memory: which count, and what is written for them.
///
/// No input or output: the facts come in, the writes go out.
struct BallotBatch {
    /// What the store knew when it was asked.
    struct Facts {
        /// Whose each session is and until when; sessions that were ended are not in it.
        var sessions: [Session.ID: (userID: User.ID, expires: Date)] = [:]
        /// Who of the voters is in the team they vote in.
        var memberships: Set<Member> = []
        /// Members of each team.
        var memberCounts: [Team.ID: Int] = [:]
        /// The sprints, with the terms and state that counting needs.
        var sprints: [Sprint.Key: OpenSprint] = [:]
        /// Receipts that are there; empty when the store was not asked, and the insertion will tell.
        var receipts: Set<Receipt> = []
    }

    /// A user in a team.
    struct Member: Hashable {
        let teamID: Team.ID
        let userID: User.ID
    }

    /// The part of a sprint that counting needs.
    struct OpenSprint {
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

    /// One for each ballot, in their order; holds once the writes are committed.
    private(set) var outcomes: [BallotOutcome] = []
    /// The sprints that ballots count in, in order of their first ballot.
    private(set) var sprintChanges: [SprintChange] = []
    /// The ballots that count.
    private(set) var counted: [Ballot] = []

    /// Decides over `ballots`, which came in this order.
    init(_ ballots: [Ballot], facts: Facts, at now: Date) {
        var receipts = facts.receipts
        var accepted: [Sprint.Key: [Happiness]] = [:]
        var order: [Sprint.Key] = []
        let refusals = ballots.map { ballot -> BallotOutcome? in
            if let refusal = Self.refusal(of: ballot, facts: facts, at: now) { return refusal }
            guard receipts.insert(ballot.receipt).inserted else { return .alreadyVoted }
            if accepted[ballot.sprint] == nil { order.append(ballot.sprint) }
            accepted[ballot.sprint, default: []].append(ballot.happiness)
            counted.append(ballot)
            return nil
        }
        var mayComplete: [Sprint.Key: Bool] = [:]
        for key in order {
            guard let before = facts.sprints[key], let values = accepted[key] else { continue }
            var after = before.state
            after.count(values, policy: before.policy, threshold: before.threshold)
            sprintChanges.append(SprintChange(key: key, before: before, after: after))
            mayComplete[key] = after.current.count >= facts.memberCounts[key.teamID] ?? .max
        }
        outcomes = zip(ballots, refusals).map { ballot, refusal in
            refusal ?? .counted(mayComplete: mayComplete[ballot.sprint] ?? false)
        }
    }

    /// Why a ballot does not count, apart from its receipt.
    private static func refusal(of ballot: Ballot, facts: Facts, at now: Date) -> BallotOutcome? {
        guard let session = facts.sessions[ballot.sessionID], session.userID == ballot.userID, session.expires > now
        else { return .sessionEnded }
        let member = Member(teamID: ballot.sprint.teamID, userID: ballot.userID)
        guard facts.memberships.contains(member) else { return .notAMember }
        guard let sprint = facts.sprints[ballot.sprint], !sprint.state.isClosed else {
            return facts.receipts.contains(ballot.receipt) ? .alreadyVoted : .sprintClosed
        }
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
