package import Domain
package import Foundation

/// Experiments and their results. A team's experiments are deleted with the team. Nothing here names a member or
/// reveals who is on which side.
package protocol ExperimentRows {
    /// `nil` if there is none.
    func experiment(_ id: ReminderExperiment.ID) throws -> ReminderExperiment?

    /// The team's experiment whose period includes that day; `nil` if there is none.
    func experiment(of teamID: Team.ID, on day: CalendarDay) throws -> ReminderExperiment?

    /// The team's experiments by first day, the latest first.
    func experiments(of teamID: Team.ID, limit: Int) throws -> [ReminderExperiment]

    /// Experiments of all teams whose periods overlap this one, ordered by id.
    /// - Parameter after: the last one of the previous page.
    func experiments(
        within period: ClosedRange<CalendarDay>, after: ReminderExperiment.ID?, limit: Int
    ) throws -> [ReminderExperiment]

    /// Whether the experiment shares a day with another one of its team.
    func overlapsAnother(_ experiment: ReminderExperiment) throws -> Bool

    /// The members seen in a sprint so far; empty once its result is stored.
    func notedMembers(in sprint: ExperimentSprint) throws -> MemberMarks

    /// The results so far, keyed by the sprint's start.
    func experimentResults(of id: ReminderExperiment.ID) throws -> [Date: ExperimentResult]
}

/// Changes of experiments, each atomic by itself.
package protocol ExperimentWrites {
    /// Makes `last` the last day of an experiment that would end later; leaves any other unchanged.
    func shortenExperiment(_ id: ReminderExperiment.ID, to last: CalendarDay) throws

    /// Removes an experiment and everything that belongs to it. Deleting a missing experiment succeeds.
    func deleteExperiment(_ id: ReminderExperiment.ID) throws

    /// Adds to the members seen in a sprint. Does nothing once the result is stored, or if the experiment does not
    /// exist.
    func noteMembers(_ marks: MemberMarks, in sprint: ExperimentSprint) throws

    /// Stores a sprint's result and removes the members seen in it. Does nothing if it already has a result, or if the
    /// experiment does not exist.
    /// - Returns: whether it was stored; exactly one of several racing callers gets true.
    func record(_ result: ExperimentResult, of sprint: ExperimentSprint) throws -> Bool
}

/// Changes of experiments in a transaction.
package protocol ExperimentChanges {
    /// - Throws: `StorageError.duplicate` if the id exists.
    func insert(_ experiment: ReminderExperiment) throws
}
