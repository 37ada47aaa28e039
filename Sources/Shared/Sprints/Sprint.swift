public import Foundation

/// A stretch of a team's time in which every member has one ballot, with the terms it started under.
public struct Sprint: Hashable, Sendable {
    /// With `start` the sprint's identity.
    public let teamID: Team.ID
    /// The first instant; whole seconds.
    public let start: Date
    /// The first instant after it.
    public let end: Date
    /// From here on no ballot counts: `end` and the team's grace period.
    public let closes: Date
    /// What people call it, unique within the team.
    public let label: SprintLabel
    /// k in force: the team's at the start, or higher if the team raised it since.
    public let threshold: Int
    /// When ballots become visible.
    public let policy: PublicationPolicy
    /// Who may read its feedback: what its members were told when they wrote it.
    public let feedbackReaders: Team.FeedbackReaders

    /// A sprint under the terms it is stored with.
    public init(
        teamID: Team.ID, start: Date, end: Date, closes: Date, label: SprintLabel, threshold: Int,
        policy: PublicationPolicy, feedbackReaders: Team.FeedbackReaders = .team
    ) {
        self.teamID = teamID
        self.start = start
        self.end = end
        self.closes = closes
        self.label = label
        self.threshold = threshold
        self.policy = policy
        self.feedbackReaders = feedbackReaders
    }

    /// The same sprint under another label.
    func labelled(_ label: SprintLabel) -> Sprint {
        Sprint(
            teamID: teamID, start: start, end: end, closes: closes, label: label, threshold: threshold, policy: policy,
            feedbackReaders: feedbackReaders)
    }

    /// The sprint's identity.
    public var key: Key { Key(teamID: teamID, start: start) }

    /// What identifies a sprint: a team has one at a time.
    public struct Key: Hashable, Sendable {
        /// The team.
        public let teamID: Team.ID
        /// The first instant.
        public let start: Date

        /// A team's sprint that starts then.
        public init(teamID: Team.ID, start: Date) {
            self.teamID = teamID
            self.start = start
        }
    }
}

/// A sprint with its ballots' aggregate: one document of `happiness`.
public struct SprintRecord: Hashable, Sendable {
    /// Identity and terms.
    public let sprint: Sprint
    /// What is counted, pending and published.
    public let state: PublicationState
    /// Members who could have voted, frozen at the close and never below the ballots published; `nil` until then.
    public let eligible: Int?
    /// How many people joined the team while the sprint was open, those included who have left since.
    public let joined: Int
    /// How its threshold was raised.
    public let raise: ThresholdRaise
    /// Whether nothing is left that could tell who voted what: `BallotStore.clear`. Never before the close.
    public let isCleared: Bool

    /// A record as a store keeps it.
    /// - Parameter isCleared: by default a closed sprint is.
    public init(
        sprint: Sprint, state: PublicationState, eligible: Int?, joined: Int = 0,
        raise: ThresholdRaise = ThresholdRaise(), isCleared: Bool? = nil
    ) {
        self.sprint = sprint
        self.state = state
        self.eligible = eligible
        self.joined = joined
        self.raise = raise
        self.isCleared = isCleared ?? state.isClosed
    }

    /// Whether the sprint may close before its end: every member has voted, nobody is about to join, and no ballot would
    /// stay unpublished.
    /// - Parameters:
    ///   - members: how many the team has.
    ///   - receipts: how many of them have one.
    func mayCloseEarly(members: Int, receipts: Int, isAnyoneInvited: Bool) -> Bool {
        !state.isClosed && members > 0 && receipts == members && !isAnyoneInvited
            && state.wouldPublishEverything(policy: sprint.policy, threshold: sprint.threshold)
    }

    /// The record once the sprint is closed.
    ///
    /// `eligible` is at least the ballots published, never those counted: after members were removed that would tell how
    /// many ballots stay unpublished.
    /// - Parameter members: how many the team has now.
    func closed(members: Int) -> SprintRecord {
        var closed = state
        closed.close(policy: sprint.policy, threshold: sprint.threshold)
        return SprintRecord(
            sprint: sprint, state: closed, eligible: max(members, closed.published.count), joined: joined,
            raise: raise, isCleared: false)
    }
}
