package import Domain
package import Foundation

/// Stores experiments and their results. Every call may also throw `StorageError.unavailable`.
///
/// A team's experiments are deleted with the team. Nothing here names a member or reveals who is on which side.
package protocol ExperimentStore: TransactionalStore {
    /// `nil` if there is none.
    func find(id: ReminderExperiment.ID) async throws -> ReminderExperiment?

    /// The team's experiment whose period includes that day; `nil` if there is none.
    func find(teamID: Team.ID, on day: CalendarDay) async throws -> ReminderExperiment?

    /// The team's experiments by first day, the latest first.
    func list(teamID: Team.ID, limit: Int) async throws -> [ReminderExperiment]

    /// Experiments of all teams whose periods overlap this one, ordered by id.
    /// - Parameter after: the last one of the previous page.
    func list(
        within period: ClosedRange<CalendarDay>, after: ReminderExperiment.ID?, limit: Int
    ) async throws -> [ReminderExperiment]

    /// Makes `last` the last day of an experiment that would end later; leaves any other unchanged.
    func shorten(id: ReminderExperiment.ID, to last: CalendarDay) async throws

    /// Removes an experiment and everything that belongs to it. Deleting a missing experiment succeeds.
    func delete(id: ReminderExperiment.ID) async throws

    /// Adds to the members seen in a sprint. Does nothing once the result is stored, or if the experiment does not
    /// exist.
    func noteMembers(_ marks: MemberMarks, in sprint: ExperimentSprint) async throws

    /// The members seen in a sprint so far; empty once its result is stored.
    func notedMembers(in sprint: ExperimentSprint) async throws -> MemberMarks

    /// Stores a sprint's result and removes the members seen in it. Does nothing if it already has a result, or if the
    /// experiment does not exist.
    /// - Returns: whether it was stored; exactly one of several racing callers gets true.
    func record(_ result: ExperimentResult, of sprint: ExperimentSprint) async throws -> Bool

    /// The results so far, keyed by the sprint's start.
    func results(of id: ReminderExperiment.ID) async throws -> [Date: ExperimentResult]
}
