import Domain
import Foundation
import GRDB

/// The queue in the table `jobs`.
struct SQLiteJobStore: JobStore {
    let database: SQLiteDatabase

    func enqueue(_ job: Job) async throws -> Bool {
        try await database.write { try $0.enqueue(job) }
    }

    func lease(kinds: [String], owner: String, at now: Date, until: Date) async throws -> Job? {
        // Workers poll often and mostly find nothing: the write lock, which ballots need, is taken only if a job is
        // due.
        guard try await database.read({ try $0.dueJob(kinds: kinds, at: now) }) != nil else { return nil }
        return try await database.write { db in
            guard let id = try db.dueJob(kinds: kinds, at: now) else { return nil }
            return try db.first(
                """
                UPDATE jobs SET state = 'leased', leaseOwner = ?, leaseUntil = ?, attempts = attempts + 1
                WHERE id = ? RETURNING \(Job.columns)
                """,
                [owner, until.milliseconds, id]
            ) { try Job(&$0) }
        }
    }

    func extend(id: Job.ID, owner: String, until: Date) async throws -> Bool {
        try await database.write { db in
            try db.change(
                "UPDATE jobs SET leaseUntil = ? WHERE id = ? AND state = 'leased' AND leaseOwner = ?",
                [until.milliseconds, id.description, owner]) == 1
        }
    }

    func complete(id: Job.ID, owner: String) async throws -> Bool {
        try await database.write { db in
            try db.change(
                """
                UPDATE jobs SET state = 'done', leaseOwner = NULL, leaseUntil = NULL
                WHERE id = ? AND state = 'leased' AND leaseOwner = ?
                """,
                [id.description, owner]) == 1
        }
    }

    func delete(id: Job.ID, owner: String) async throws -> Bool {
        try await database.write { db in
            try db.change(
                "DELETE FROM jobs WHERE id = ? AND state = 'leased' AND leaseOwner = ?", [id.description, owner]) == 1
        }
    }

    func release(id: Job.ID, owner: String, runAt: Date, error: String?) async throws -> Bool {
        try await database.write { db in
            try db.change(
                """
                UPDATE jobs SET state = 'ready', leaseOwner = NULL, leaseUntil = NULL, runAt = ?1,
                    attempts = attempts - (?2 IS NULL), lastError = coalesce(?2, lastError)
                WHERE id = ?3 AND state = 'leased' AND leaseOwner = ?4
                """,
                [runAt.milliseconds, error, id.description, owner]) == 1
        }
    }

    func markDead(id: Job.ID, owner: String, error: String) async throws -> Bool {
        try await database.write { db in
            try db.change(
                """
                UPDATE jobs SET state = 'dead', leaseOwner = NULL, leaseUntil = NULL, lastError = ?
                WHERE id = ? AND state = 'leased' AND leaseOwner = ?
                """,
                [error, id.description, owner]) == 1
        }
    }

    func find(id: Job.ID) async throws -> Job? {
        try await database.read { db in
            try db.first("SELECT \(Job.columns) FROM jobs WHERE id = ?", [id.description]) { try Job(&$0) }
        }
    }

    func list(state: Job.State?, limit: Int) async throws -> [Job] {
        try await database.read { db in
            if let state {
                try db.rows(
                    "SELECT \(Job.columns) FROM jobs WHERE state = ? ORDER BY runAt, id LIMIT ?",
                    [state.rawValue, limit]
                ) { try Job(&$0) }
            } else {
                try db.rows(
                    "SELECT \(Job.columns) FROM jobs ORDER BY runAt, id LIMIT ?", [limit]
                ) { try Job(&$0) }
            }
        }
    }

    func list(naming userID: User.ID) async throws -> [Job] {
        try await database.read { db in
            try db.rows(
                "SELECT \(Job.columns) FROM jobs WHERE \(Job.namesUser) ORDER BY runAt, id", [userID.description]
            ) { try Job(&$0) }
        }
    }

    func deleteAll(naming userID: User.ID, except kept: Job.ID?) async throws {
        try await database.write { db in
            try db.change(
                "DELETE FROM jobs WHERE (\(Job.namesUser)) AND id IS NOT ?2",
                [userID.description, kept?.description])
        }
    }

    func count(state: Job.State) async throws -> Int {
        try await database.read { db in
            try db.first("SELECT count(*) FROM jobs WHERE state = ?", [state.rawValue]) { $0.value() } ?? 0
        }
    }

    func restart(id: Job.ID, runAt: Date) async throws -> Bool {
        try await database.write { db in
            try db.change(
                "UPDATE jobs SET state = 'ready', runAt = ?1, since = ?1, attempts = 0 WHERE id = ?2 AND state = 'dead'",
                [runAt.milliseconds, id.description]) == 1
        }
    }

    func restartAll(kind: String?, runAt: Date) async throws -> Int {
        try await database.write { db in
            try db.change(
                """
                UPDATE jobs SET state = 'ready', runAt = ?1, since = ?1, attempts = 0
                WHERE state = 'dead' AND (?2 IS NULL OR kind = ?2)
                """,
                [runAt.milliseconds, kind])
        }
    }

    func deleteDead(id: Job.ID) async throws -> Bool {
        try await database.write { db in
            try db.change("DELETE FROM jobs WHERE id = ? AND state = 'dead'", [id.description]) == 1
        }
    }

    func newest(kind: String) async throws -> Job? {
        try await database.read { db in
            try db.first(
                "SELECT \(Job.columns) FROM jobs WHERE kind = ? ORDER BY runAt DESC, id DESC LIMIT 1", [kind]
            ) { try Job(&$0) }
        }
    }

    func deleteDone(before instant: Date, except kind: String?) async throws {
        try await delete(.done, before: instant, except: kind)
    }

    func deleteDead(before instant: Date) async throws {
        try await delete(.dead, before: instant, except: nil)
    }

    private func delete(_ state: Job.State, before instant: Date, except kind: String?) async throws {
        try await database.write { db in
            try db.change(
                "DELETE FROM jobs WHERE state = ? AND runAt < ? AND kind IS NOT ?",
                [state.rawValue, instant.milliseconds, kind])
        }
    }
}

extension Database {
    /// Stores a job in the current transaction, unless one with the same `dedupeKey` exists.
    /// - Returns: whether it was stored.
    func enqueue(_ job: Job) throws -> Bool {
        try change(
            """
            INSERT INTO jobs (\(Job.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (dedupeKey) DO NOTHING
            """,
            [
                job.id.description, job.kind, job.payload, job.dedupeKey, job.state.rawValue, job.runAt.milliseconds,
                job.attempts, job.leaseOwner, job.leaseUntil?.milliseconds, job.lastError, job.since.milliseconds,
            ]) == 1
    }

    /// The id of the due job that has waited longest; a leased job waits from the end of its lease.
    fileprivate func dueJob(kinds: [String], at now: Date) throws -> String? {
        let ready = try earliestJob(state: .ready, dueColumn: "runAt", kinds: kinds, at: now)
        let abandoned = try earliestJob(state: .leased, dueColumn: "leaseUntil", kinds: kinds, at: now)
        return [ready, abandoned].compactMap { $0 }.min { ($0.due, $0.id) < ($1.due, $1.id) }?.id
    }

    /// One lookup per state: the index has `ready` jobs in the right order, and workers hold only a few
    /// leased ones.
    private func earliestJob(
        state: Job.State, dueColumn: String, kinds: [String], at now: Date
    ) throws -> (id: String, due: Int64)? {
        let places = kinds.map { _ in "?" }.joined(separator: ", ")
        return try first(
            """
            SELECT id, \(dueColumn) FROM jobs WHERE state = ? AND \(dueColumn) <= ? AND kind IN (\(places))
            ORDER BY \(dueColumn), id LIMIT 1
            """,
            [state.rawValue, now.milliseconds] + SQLiteArguments(kinds)
        ) { (id: $0.value(), due: $0.value()) }
    }
}

extension Database: JobChanges {
    func insert(_ jobs: [Job]) throws {
        for job in jobs { _ = try enqueue(job) }
    }
}

extension Job {
    /// A scan, which is rare and short: done jobs are removed after some days.
    fileprivate static let namesUser = "instr(payload, ?1) OR instr(coalesce(dedupeKey, ''), ?1)"

    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns =
        "id, kind, payload, dedupeKey, state, runAt, attempts, leaseOwner, leaseUntil, lastError, since"

    fileprivate init(_ row: inout SQLiteRow) throws {
        // In the order of the columns, which a row is read in.
        let id: Job.ID = try row.parsed()
        let kind: String = row.value()
        let payload: String = row.value()
        let dedupeKey: String? = row.optional()
        let state: Job.State = try row.named()
        let runAt: Date = row.instant()
        let attempts: Int = row.value()
        let leaseOwner: String? = row.optional()
        let leaseUntil: Date? = row.optionalInstant()
        let lastError: String? = row.optional()
        self.init(
            id: id, kind: kind, payload: payload, dedupeKey: dedupeKey, state: state, runAt: runAt,
            since: row.optionalInstant(), attempts: attempts, leaseOwner: leaseOwner, leaseUntil: leaseUntil,
            lastError: lastError)
    }
}
