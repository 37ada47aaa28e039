package import Foundation

/// One sprint within an experiment.
package struct ExperimentSprint: Hashable, Sendable {
    package let experimentID: ReminderExperiment.ID
    /// The sprint's first instant; the team is that of the experiment.
    package let start: Date

    /// Names the sprint by its start.
    package init(experimentID: ReminderExperiment.ID, start: Date) {
        self.experimentID = experimentID
        self.start = start
    }
}

/// The stored result of a sprint in an experiment. Decided once: membership may change, the result does not.
package enum ExperimentResult: Hashable, Sendable {
    /// These counts may be shown.
    case measured(ExperimentCounts)
    /// The counts would reveal too much about too few members; neither they nor the violated rule are kept.
    case withheld
    /// The sprint was not counted in time, or the reminder was not sent.
    case missed

    /// Decides what may be kept of a closed sprint.
    ///
    /// Every group that can be compared with the counts must be empty or have at least k members:
    /// - on each side those who voted, and those who did not;
    /// - the published ballots, which must therefore be all that were cast (a raised threshold can keep some
    ///   unpublished for good), all of them by members;
    /// - the members at the close, whose number must equal the number counted;
    /// - those who left: one person would be the difference between the ballots and the members who voted. Nothing is
    ///   kept once any member has left, whether or not they voted; otherwise the result itself would reveal whether
    ///   they did.
    ///
    /// - Parameters:
    ///   - record: closed.
    ///   - threshold: k, the higher of the sprint's and the team's.
    ///   - hasLostMembers: whether a member during the sprint has left, or may have left; or members share a mailbox, so
    ///     that fewer could vote than there are members.
    package static func judged(
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
