import Domain
import Foundation
import GRDB

extension Database: SessionRows, SessionWrites {
    func session(_ id: Session.ID) throws -> Session? {
        try first("SELECT \(Session.columns) FROM sessions WHERE id = ?", [id.description]) { try Session(&$0) }
    }

    func sessions(_ ids: [Session.ID], membershipsOf userIDs: [User.ID]) throws -> (
        sessions: [Session], memberships: [Membership]
    ) {
        (try ids.compactMap { try session($0) }, try userIDs.flatMap { try memberships(of: $0) })
    }

    func revocations() throws -> [RevocationSlot: Int] {
        let numbers = try rows("SELECT slot, number FROM revocations") {
            (try $0.parsed(as: RevocationSlot.self), $0.value(as: Int.self))
        }
        return Dictionary(uniqueKeysWithValues: numbers)
    }

    func sessions(of userID: User.ID, at now: Date) throws -> [Session] {
        try rows(
            "SELECT \(Session.columns) FROM sessions WHERE user = ? AND expires > ? ORDER BY lastUsed DESC, id",
            [userID.description, now.milliseconds]
        ) { try Session(&$0) }
    }

    func rotate(
        _ id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) throws -> Bool {
        try deleteRepeats(at: now)
        return try change(
            """
            UPDATE sessions SET generation = generation + 1, repeatUntil = ?, expires = ?
            WHERE id = ? AND generation = ?
            """,
            [
                repeatUntil.milliseconds, Session.beginningOfDay(notBefore: expires).milliseconds, id.description,
                generation,
            ]) == 1
    }

    func deleteRepeats(at now: Date) throws {
        try change("UPDATE sessions SET repeatUntil = NULL WHERE repeatUntil < ?", [now.milliseconds])
    }

    func touch(_ ids: [Session.ID], day: CalendarDay) throws {
        for id in ids {
            try change("UPDATE sessions SET lastUsed = ? WHERE id = ?", [day.description, id.description])
        }
    }

    func endSession(_ id: Session.ID) throws {
        try change("DELETE FROM sessions WHERE id = ?", [id.description])
    }

    func deleteExpiredSessions(before instant: Date) throws {
        try change("DELETE FROM sessions WHERE expires < ?", [instant.milliseconds])
    }

    func loginFailures(_ key: [UInt8]) throws -> LoginFailures? {
        try first("SELECT count, last FROM loginFailures WHERE key = ?", [Data(key)]) {
            LoginFailures(count: $0.value(), last: $0.instant())
        }
    }

    func recordLoginFailure(_ key: [UInt8], at now: Date) throws -> LoginFailures {
        // Attempts with made-up names must not fill the disk: expired entries are removed here, whatever their key.
        try change(
            "DELETE FROM loginFailures WHERE last < ?",
            [now.addingTimeInterval(-LoginFailures.memory).milliseconds])
        let failures = try first(
            """
            INSERT INTO loginFailures (key, count, last) VALUES (?, 1, ?)
            ON CONFLICT (key) DO UPDATE SET count = count + 1, last = excluded.last
            RETURNING count, last
            """,
            [Data(key), now.milliseconds]
        ) { LoginFailures(count: $0.value(), last: $0.instant()) }
        return failures ?? LoginFailures(count: 1, last: now)
    }

    func deleteLoginFailures(_ key: [UInt8]) throws {
        try change("DELETE FROM loginFailures WHERE key = ?", [Data(key)])
    }
}

extension Database: SessionChanges {
    /// Nothing to do: SQLite has one writer, so transactions follow each other.
    func lock(_ sessionID: Session.ID, of userID: User.ID) throws -> Bool {
        try contains(
            "SELECT 1 FROM sessions WHERE id = ? AND user = ?", [sessionID.description, userID.description])
    }

    func insert(_ session: Session) throws {
        try change(
            "INSERT INTO sessions (\(Session.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                session.id.description, session.userID.description, session.device, session.expires.milliseconds,
                session.lastUsed.description, Data(session.seed), session.generation,
                session.repeatUntil?.milliseconds,
            ])
    }

    func endSessions(of userID: User.ID, except kept: Session.ID?) throws {
        // IS NOT instead of <>: with NULL, no session is kept.
        try change("DELETE FROM sessions WHERE user = ? AND id IS NOT ?", [userID.description, kept?.description])
    }

    func endOldestSessions(of userID: User.ID, keeping count: Int) throws {
        try change(
            """
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE user = ? ORDER BY lastUsed DESC, expires DESC, id LIMIT -1 OFFSET ?
            )
            """,
            [userID.description, count])
    }
}

extension Session {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "id, user, device, expires, lastUsed, seed, generation, repeatUntil"

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), userID: try row.parsed(), device: row.value(), expires: row.instant(),
            lastUsed: try row.parsed(), seed: row.bytes(), generation: row.value(), repeatUntil: row.optionalInstant())
    }
}
