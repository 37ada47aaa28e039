public import Foundation

/// Where experiments and their results are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// A team's experiments go with the team. Nothing here names a person, nor tells who is on which side.
public protocol ExperimentStore: Sendable {
    /// Stores an experiment whose period shares no day with another one of its team; of several that race and share one,
    /// one is stored.
    /// - Throws: `AppError.notFound` if there is no such team; `AppError.conflict` (`experiments-overlap`).
    func insert(_ experiment: ReminderExperiment) async throws

    /// `nil` if there is none.
    func find(id: ReminderExperiment.ID) async throws -> ReminderExperiment?

    /// The team's one whose period has that day; `nil` if there is none.
    func find(teamID: Team.ID, on day: CalendarDay) async throws -> ReminderExperiment?

    /// The team's, in order of their first days, the latest one at the head.
    func list(teamID: Team.ID, limit: Int) async throws -> [ReminderExperiment]

    /// Those of every team whose periods share a day with this one, in order of their ids.
    /// - Parameter after: the last one of the page before.
    func list(
        within period: ClosedRange<CalendarDay>, after: ReminderExperiment.ID?, limit: Int
    ) async throws -> [ReminderExperiment]

    /// Makes `last` the last day of an experiment that would go on longer; leaves any other one as it is.
    func shorten(id: ReminderExperiment.ID, to last: CalendarDay) async throws

    /// Removes an experiment and what belongs to it; nothing if it is not there.
    func delete(id: ReminderExperiment.ID) async throws

    /// Adds to who was seen in a sprint; nothing once it has its result, or if there is no such experiment.
    func noteMembers(_ marks: MemberMarks, in sprint: ExperimentSprint) async throws

    /// Who was seen in a sprint so far; nobody once it has its result.
    func notedMembers(in sprint: ExperimentSprint) async throws -> MemberMarks

    /// Stores a sprint's result and removes who was seen in it; nothing if it has one, or if there is no such experiment.
    /// - Returns: whether it was stored; of callers that race, one is told so.
    func record(_ result: ExperimentResult, of sprint: ExperimentSprint) async throws -> Bool

    /// The results so far, by the sprint's start.
    func results(of id: ReminderExperiment.ID) async throws -> [Date: ExperimentResult]
}

extension AppError {
    /// For stores: another experiment of the team has days of the period.
    static let experimentsOverlap = AppError(
        .conflict, "Another experiment of the team has days of this period.", reason: "experiments-overlap")
    /// For services: none of this id, or another team's.
    public static let noSuchExperiment = AppError(.notFound, "There is no such experiment.")
}
