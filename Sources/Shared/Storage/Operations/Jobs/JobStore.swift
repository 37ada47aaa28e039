package import Domain
package import Foundation

/// The queue. Every call may also throw `StorageError.unavailable`.
package protocol JobStore: Sendable {
    /// Stores a job, unless one with the same `dedupeKey` exists in any state.
    /// - Returns: whether it was stored.
    func enqueue(_ job: Job) async throws -> Bool

    /// Leases the job that has waited longest among those due at `now`: `ready` with `runAt` at or before it, or
    /// `leased` with a lease that ended at or before it. Atomically it becomes `leased` by `owner` until `until`, and
    /// `attempts` increases by one; no two callers get the same job.
    /// - Returns: the job after this change, or `nil` if none is due.
    func lease(kinds: [String], owner: String, at now: Date, until: Date) async throws -> Job?

    /// Extends the lease.
    /// - Returns: false if `owner` no longer holds the job.
    func extend(id: Job.ID, owner: String, until: Date) async throws -> Bool

    /// Marks the job as `done` if `owner` still holds it.
    /// - Returns: false if `owner` no longer holds the job.
    func complete(id: Job.ID, owner: String) async throws -> Bool

    /// Removes the finished job if `owner` still holds it.
    /// - Returns: false if `owner` no longer holds the job.
    func delete(id: Job.ID, owner: String) async throws -> Bool

    /// Makes the job `ready` at `runAt` if `owner` still holds it. A job released before it started (`error` nil) does
    /// not count the attempt.
    /// - Returns: false if `owner` no longer holds the job.
    func release(id: Job.ID, owner: String, runAt: Date, error: String?) async throws -> Bool

    /// Marks the job as `dead` if `owner` still holds it.
    /// - Returns: false if `owner` no longer holds the job.
    func markDead(id: Job.ID, owner: String, error: String) async throws -> Bool

    /// `nil` if there is none.
    func find(id: Job.ID) async throws -> Job?

    /// Ordered by `runAt`, then id. A `nil` state means every state.
    func list(state: Job.State?, limit: Int) async throws -> [Job]

    /// The jobs in any state whose payload or dedupe key contains the user's id, ordered by `runAt`, then id.
    func list(naming userID: User.ID) async throws -> [Job]

    /// Removes the jobs in any state whose payload or dedupe key contains the user's id, except `kept`; a worker that
    /// holds one loses it.
    func deleteAll(naming userID: User.ID, except kept: Job.ID?) async throws

    /// Number of jobs in this state.
    func count(state: Job.State) async throws -> Int

    /// Makes a dead job `ready` at `runAt` with its attempts reset and `since` at the same instant.
    /// - Returns: false if there is no dead job with this id.
    func restart(id: Job.ID, runAt: Date) async throws -> Bool

    /// Does the same with all dead jobs, or all of one kind.
    /// - Parameter kind: `nil` means every kind.
    /// - Returns: how many there were.
    func restartAll(kind: String?, runAt: Date) async throws -> Int

    /// Permanently removes a dead job.
    /// - Returns: false if there is no dead job with this id.
    func deleteDead(id: Job.ID) async throws -> Bool

    /// The job of a kind with the latest `runAt`, in any state; `nil` if there is none. Reads all jobs: for what is
    /// asked rarely.
    func newest(kind: String) async throws -> Job?

    /// Removes `done` jobs whose `runAt` is before `instant`; their dedupe keys can be used again.
    /// - Parameter kind: jobs of this kind stay; `nil` removes those of every kind.
    func deleteDone(before instant: Date, except kind: String?) async throws

    /// Removes `dead` jobs whose `runAt` is before `instant` and that were not restarted; their dedupe keys can be used
    /// again.
    func deleteDead(before instant: Date) async throws
}

extension JobStore {
    /// Removes `done` jobs of every kind; see `deleteDone(before:except:)`.
    package func deleteDone(before instant: Date) async throws {
        try await deleteDone(before: instant, except: nil)
    }
}
