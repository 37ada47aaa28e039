public import Foundation

/// The queue. Every call may also throw `AppError.storeUnavailable`.
public protocol JobStore: Sendable {
    /// Stores a job, unless one of the same `dedupeKey` is kept, in whatever state.
    /// - Returns: whether it was stored.
    func enqueue(_ job: Job) async throws -> Bool

    /// Takes the job that has waited longest among those due at `now`: `ready` with `runAt` at or before it, or
    /// `leased` with a lease that ended at or before it. In one atomic step it becomes `leased` by `owner` until
    /// `until` and `attempts` grows by one; no two callers get the same job.
    /// - Returns: the job as it is then, or `nil` if none is due.
    func lease(kinds: [String], owner: String, at now: Date, until: Date) async throws -> Job?

    /// Moves the lease's end.
    /// - Returns: false if `owner` has the job no more.
    func extend(id: Job.ID, owner: String, until: Date) async throws -> Bool

    /// Ends the job as `done`, if `owner` still has it.
    /// - Returns: false if `owner` has the job no more.
    func complete(id: Job.ID, owner: String) async throws -> Bool

    /// Ends the job by removing it, if `owner` still has it.
    /// - Returns: false if `owner` has the job no more.
    func erase(id: Job.ID, owner: String) async throws -> Bool

    /// Back to `ready` at `runAt`, if `owner` still has it. A job given back unstarted (`error` nil) gets its attempt
    /// back.
    /// - Returns: false if `owner` has the job no more.
    func release(id: Job.ID, owner: String, runAt: Date, error: String?) async throws -> Bool

    /// Ends the job as `dead`, if `owner` still has it.
    /// - Returns: false if `owner` has the job no more.
    func bury(id: Job.ID, owner: String, error: String) async throws -> Bool

    /// `nil` if there is none.
    func find(id: Job.ID) async throws -> Job?

    /// In order of `runAt`, then id. `nil` state means every state.
    func list(state: Job.State?, limit: Int) async throws -> [Job]

    /// The jobs whose payload or dedupe key holds the user's id, in whatever state, in order of `runAt`, then id.
    func list(naming userID: User.ID) async throws -> [Job]

    /// Removes the jobs whose payload or dedupe key holds the user's id, in whatever state, but for `kept`; a worker that
    /// has one loses it.
    func deleteAll(naming userID: User.ID, except kept: Job.ID?) async throws

    /// How many jobs are in this state.
    func count(state: Job.State) async throws -> Int

    /// Makes a dead job `ready` at `runAt` with no attempts counted.
    /// - Throws: `AppError.notFound` if there is no dead job of this id.
    func restart(id: Job.ID, runAt: Date) async throws

    /// Removes a dead job for good.
    /// - Throws: `AppError.notFound` if there is no dead job of this id.
    func drop(id: Job.ID) async throws

    /// Removes `done` jobs whose `runAt` lies before `instant`; their dedupe keys are free again.
    func deleteDone(before instant: Date) async throws

    /// Removes `dead` jobs whose `runAt` lies before `instant`: nobody has restarted them; their dedupe keys are free
    /// again.
    func deleteDead(before instant: Date) async throws
}

extension AppError {
    /// For stores: no job with this id has failed for good.
    static let noSuchDeadJob = AppError(.notFound, "There is no such dead job.")
}
