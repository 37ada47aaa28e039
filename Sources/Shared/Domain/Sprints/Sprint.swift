package import Foundation

/// A period of a team in which every member has one ballot, with the terms under which it started.
package struct Sprint: Hashable, Sendable {
    /// Together with `start` the sprint's identity.
    package let teamID: Team.ID
    /// The first instant; whole seconds.
    package let start: Date
    /// The first instant after it.
    package let end: Date
    /// No ballot is accepted from here on: `end` plus the team's grace period.
    package let closes: Date
    /// The visible name, unique within the team.
    package let label: SprintLabel
    /// The threshold k in force: the team's at the start, or higher if the team has raised it since.
    package let threshold: Int
    /// When ballots become visible.
    package let policy: PublicationPolicy
    /// Who may read its feedback, as announced to the members who wrote it.
    package let feedbackReaders: Team.FeedbackReaders
    /// Which ballots it counts.
    package let ballots: Team.AcceptedBallots
    /// Whether another tool counted it (`HistoryImport`).
    package let isImported: Bool

    /// Takes the terms that are stored with the sprint.
    package init(
        teamID: Team.ID, start: Date, end: Date, closes: Date, label: SprintLabel, threshold: Int,
        policy: PublicationPolicy, feedbackReaders: Team.FeedbackReaders = .team, ballots: Team.AcceptedBallots = .any,
        isImported: Bool = false
    ) {
        self.teamID = teamID
        self.start = start
        self.end = end
        self.closes = closes
        self.label = label
        self.threshold = threshold
        self.policy = policy
        self.feedbackReaders = feedbackReaders
        self.ballots = ballots
        self.isImported = isImported
    }

    /// A copy of the sprint with another label.
    package func labelled(_ label: SprintLabel) -> Sprint {
        Sprint(
            teamID: teamID, start: start, end: end, closes: closes, label: label, threshold: threshold, policy: policy,
            feedbackReaders: feedbackReaders, ballots: ballots, isImported: isImported)
    }

    /// The identity made of team and start.
    package var key: Key { Key(teamID: teamID, start: start) }

    /// Identifies a sprint: a team has one at a time.
    package struct Key: Hashable, Sendable {
        package let teamID: Team.ID
        /// The first instant.
        package let start: Date

        /// Names a team's sprint by its start.
        package init(teamID: Team.ID, start: Date) {
            self.teamID = teamID
            self.start = start
        }
    }
}

/// A sprint with the aggregate of its ballots: one document of `happiness`.
package struct SprintRecord: Hashable, Sendable {
    /// Identity and terms.
    package let sprint: Sprint
    /// Counted, pending and published ballots.
    package let state: PublicationState
    /// Members who could have voted, frozen at the close and never fewer than the published ballots; `nil` until then.
    package let eligible: Int?
    /// Number of members who joined the team while the sprint was open, including those who have left since.
    package let joined: Int
    /// How its threshold was raised.
    package let raise: ThresholdRaise
    /// Ballot papers issued and spent so far.
    package let papers: PaperCounts
    /// How many of the published ballots were sealed; `nil` until the close, and if that would single out someone.
    package let sealed: Int?
    /// Whether all data that could link members to values has been removed: `BallotStore.clear`. Never before the
    /// close.
    package let isCleared: Bool

    /// Creates a record as a store keeps it.
    /// - Parameter isCleared: by default true if the sprint is closed.
    package init(
        sprint: Sprint, state: PublicationState, eligible: Int?, joined: Int = 0,
        raise: ThresholdRaise = ThresholdRaise(), papers: PaperCounts = PaperCounts(), sealed: Int? = nil,
        isCleared: Bool? = nil
    ) {
        self.sprint = sprint
        self.state = state
        self.eligible = eligible
        self.joined = joined
        self.raise = raise
        self.papers = papers
        self.sealed = sealed
        self.isCleared = isCleared ?? state.isClosed
    }

    /// Whether nobody has taken part: no ballot was counted, no paper issued, and nothing published.
    package var isUntouched: Bool { state.current.count == 0 && papers.issued == 0 && state.publishedNumber == 0 }

    /// Whether the sprint may close early: every member has voted, every paper has been used, no invitation is pending,
    /// and every ballot would be published.
    /// - Parameters:
    ///   - members: number of the team's members.
    ///   - receipts: number of members with a receipt.
    package func mayCloseEarly(members: Int, receipts: Int, isAnyoneInvited: Bool) -> Bool {
        !state.isClosed && members > 0 && receipts == members && papers.spent == papers.issued && !isAnyoneInvited
            && state.wouldPublishEverything(policy: sprint.policy, threshold: sprint.threshold)
    }

    /// The record after the close.
    ///
    /// `eligible` is at least the number of published ballots, not of counted ones: after members were removed, the
    /// latter would reveal how many ballots stay unpublished.
    /// - Parameters:
    ///   - members: current number of the team's members.
    ///   - spentPapers: number of papers spent up to a snapshot, by its number.
    package func closed(members: Int, spentPapers: [Int: Int]) -> SprintRecord {
        var closed = state
        closed.close(policy: sprint.policy, threshold: sprint.threshold)
        let sealed = spentPapers.filter { $0.key <= closed.publishedNumber }.values.reduce(0, +)
        let plain = closed.published.count - sealed
        // Fewer than k who vote in one way could be known to each other.
        let isShown = [sealed, plain].allSatisfy { $0 == 0 || $0 >= sprint.threshold }
        return SprintRecord(
            sprint: sprint, state: closed, eligible: max(members, closed.published.count), joined: joined,
            raise: raise, papers: papers, sealed: isShown ? sealed : nil, isCleared: false)
    }
}

/// How many ballot papers of a sprint there are.
package struct PaperCounts: Hashable, Sendable {
    /// Signed for a member.
    package var issued: Int
    /// Used for a ballot.
    package var spent: Int

    /// None by default.
    package init(issued: Int = 0, spent: Int = 0) {
        self.issued = issued
        self.spent = spent
    }
}

extension Sprint {
    /// Who may read the feedback now: the readers that were announced to its writers, or the team's present ones if
    /// those are fewer.
    package func feedbackReaders(present: Team.FeedbackReaders) -> Team.FeedbackReaders {
        feedbackReaders == .team ? present : .leads
    }
}
