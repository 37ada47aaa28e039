public import Foundation

/// A sprint's part in an experiment.
public struct ExperimentSprint: Hashable, Sendable {
    /// The experiment.
    public let experimentID: ReminderExperiment.ID
    /// The sprint's first instant; the team is the experiment's.
    public let start: Date

    /// A sprint that starts then.
    public init(experimentID: ReminderExperiment.ID, start: Date) {
        self.experimentID = experimentID
        self.start = start
    }
}

/// What is kept of a sprint's part in an experiment. Decided once: membership moves on, a result does not.
public enum ExperimentResult: Hashable, Sendable {
    /// These counts may be shown.
    case measured(ExperimentCounts)
    /// Counts would tell too much of too few people; none is kept, nor which rule it was.
    case withheld
    /// Nobody counted in time, or the reminder was not sent.
    case missed

    /// Decides what may be kept of a closed sprint.
    ///
    /// Whatever is compared with the counts must be a group of at least k, or nobody:
    /// - on each side those who voted, and those who did not;
    /// - the published ballots, which therefore must be all that were cast (a raised threshold can keep some unpublished
    ///   for good) and all those of members;
    /// - the members at the close, who must be as many as are counted now;
    /// - those who left: one person would be the difference between the ballots and the members who voted. So nothing is
    ///   kept as soon as anybody left, whether or not they had voted, or the result itself would tell that of them.
    ///
    /// - Parameters:
    ///   - record: closed.
    ///   - threshold: k, the higher one of the sprint's and the team's.
    ///   - hasLostMembers: whether somebody who was a member during the sprint is none any more, or may be.
    static func judged(
        _ counts: ExperimentCounts, of record: SprintRecord, threshold: Int, hasLostMembers: Bool
    ) -> ExperimentResult {
        let voted = counts.a.voted + counts.b.voted
        let groups = [counts.a, counts.b].flatMap { [$0.voted, $0.members - $0.voted] }
        guard !hasLostMembers, groups.allSatisfy({ $0 >= threshold }),
            counts.a.members + counts.b.members == record.eligible,
            voted == record.state.current.count, voted == record.state.published.count
        else { return .withheld }
        return .measured(counts)
    }
}
