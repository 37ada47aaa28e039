package import Domain
package import Foundation
package import Ports
package import Storage

/// Dead jobs, which admins and the operator can list, restart or drop.
package struct JobService: Sendable {
    /// Maximum number of jobs in a list. A larger number of dead jobs has a common cause, which the first ones show.
    package static let maximumCount = 200

    private let store: any Store
    private let jobs: any JobStore
    private let clock: WallClock

    /// - Parameter clock: determines when a restarted job is due.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        jobs = stores.jobs
        self.clock = clock
    }

    /// The jobs that are due first, at most `maximumCount`.
    /// - Parameter state: `nil` means every state.
    /// - Throws: `AppError.forbidden`.
    package func list(state: Job.State? = nil, by caller: Caller) async throws -> [JobSummary] {
        try await store.requireAdmin(caller)
        return try await jobs.list(state: state, limit: Self.maximumCount).map(JobSummary.init)
    }

    /// How many jobs are in each state.
    /// - Throws: `AppError.forbidden`.
    package func counts(by caller: Caller) async throws -> [Job.State: Int] {
        try await store.requireAdmin(caller)
        var counts: [Job.State: Int] = [:]
        for state in Job.State.allCases { counts[state] = try await jobs.count(state: state) }
        return counts
    }

    /// Makes a dead job due immediately, with its attempts reset.
    /// - Throws: `AppError`: `forbidden`, `notFound` if there is no dead job with this id.
    package func restart(_ id: Job.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard try await jobs.restart(id: id, runAt: clock.now) else { throw AppError.noSuchDeadJob }
    }

    /// Makes all dead jobs due immediately, with their attempts reset.
    /// - Parameter kind: only those of this kind; `nil` means every kind.
    /// - Returns: how many there were.
    /// - Throws: `AppError.forbidden`.
    package func restartAll(kind: String?, by caller: Caller) async throws -> Int {
        try await store.requireAdmin(caller)
        return try await jobs.restartAll(kind: kind, runAt: clock.now)
    }

    /// The jobs among the first `maximumCount` waiting ones whose last attempt failed because of a wrong setting.
    /// - Throws: `AppError.forbidden`.
    package func waitingForSettings(by caller: Caller) async throws -> [JobSummary] {
        try await list(state: .ready, by: caller).filter {
            $0.lastError?.hasPrefix(JobError.misconfiguredPrefix) == true
        }
    }

    /// Has a worker make today's backup now, if it has a folder for backups and there is none of today. Does nothing
    /// while one waits or runs: two at once would remove each other's draft.
    /// - Throws: `AppError.forbidden`.
    package func makeBackup(by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        if let last = try await jobs.newest(kind: BackupFolder.jobKind) {
            if last.state == .leased || (last.state == .ready && last.lastError == nil) { return }
            if last.state == .dead, try await jobs.restart(id: last.id, runAt: clock.now) { return }
        }
        let slot = Int(clock.now.timeIntervalSince1970 / Self.backupInterval)
        _ = try await jobs.enqueue(
            Job(kind: BackupFolder.jobKind, dedupeKey: "\(BackupFolder.jobKind)|now|\(slot)", runAt: clock.now))
    }

    /// Seconds between two requests for a backup.
    private static let backupInterval: TimeInterval = 600

    /// Permanently removes a dead job.
    /// - Parameter leavingTraces: also removes a job that holds the only record of a deleted account's or team's
    ///   remaining data.
    /// - Throws: `AppError`: `forbidden`, `notFound` if there is no dead job with this id, `conflict`
    ///   (`leaves-traces`).
    package func deleteDead(_ id: Job.ID, leavingTraces: Bool = false, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        if !leavingTraces, let job = try await jobs.find(id: id), job.state == .dead,
            [AccountTraces.jobKind, DeletedTeam.jobKind].contains(job.kind)
        {
            throw AppError.leavesTraces
        }
        guard try await jobs.deleteDead(id: id) else { throw AppError.noSuchDeadJob }
    }
}

extension AppError {
    /// No job with this id has failed for good.
    fileprivate static let noSuchDeadJob = AppError(.notFound, "There’s no such dead job.")
    /// Nothing else ever removes what such a job removes.
    fileprivate static let leavesTraces = AppError(
        .conflict,
        "This job removes what’s left of a deleted account or team. Without it, that stays forever. Please "
            + "fix the cause shown in its last error, and restart it.",
        reason: .leavesTraces)
}

/// A job as shown to admins. It contains only ids from the payload, because other values may be personal.
package struct JobSummary: Hashable, Sendable, Encodable {
    /// The id for restarting or dropping the job.
    package let id: Job.ID
    /// Selects the handler.
    package let kind: String
    /// Its present stage.
    package let state: Job.State
    /// The job does not run before this instant.
    package let runAt: Date
    /// Number of attempts started.
    package let attempts: Int
    /// Why the last attempt failed; no personal value.
    package let lastError: String?
    /// The ids in the payload by their field names.
    package let ids: [String: String]

    init(_ job: Job) {
        id = job.id
        kind = job.kind
        state = job.state
        runAt = job.runAt
        attempts = job.attempts
        lastError = job.lastError
        ids = Self.ids(in: job.payload)
    }

    private static func ids(in payload: String) -> [String: String] {
        do {
            return try JSONDecoder().decode([String: PayloadID].self, from: Data(payload.utf8)).compactMapValues(\.text)
        } catch {
            // Not an object: a payload that no handler understands, so it yields no ids.
            return [:]
        }
    }

    /// A value of a payload, if it is an id.
    private struct PayloadID: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            // Only text can be an id; other values do not matter.
            let text = try? decoder.singleValueContainer().decode(String.self)
            self.text = text.flatMap { Job.ID($0) }?.description
        }
    }

    /// `lastError` is encoded as null if there was none.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind, forKey: .kind)
        try container.encode(state.rawValue, forKey: .state)
        try container.encode(runAt, forKey: .runAt)
        try container.encode(attempts, forKey: .attempts)
        try container.encode(lastError, forKey: .lastError)
        try container.encode(ids, forKey: .ids)
    }

    private enum CodingKeys: CodingKey {
        case id, kind, state, runAt, attempts, lastError, ids
    }
}
