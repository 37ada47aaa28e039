import GRDB

/// Absences in the table `absences`. Deleting a user deletes the user's rows.
struct SQLiteAbsenceStore: SQLiteStore, AbsenceStore {
    let database: SQLiteDatabase

    func list(userID: User.ID) async throws -> [Absence] {
        try await database.read { db in
            try db.rows(
                "SELECT first, last FROM absences WHERE user = ? ORDER BY first, last", [userID.description]
            ) { try Absence(&$0) }
        }
    }

    func list(teamID: Team.ID) async throws -> [User.ID: [Absence]] {
        let rows = try await database.read { db in
            try db.rows(
                """
                SELECT absences.user, first, last FROM memberships JOIN absences ON absences.user = memberships.user
                WHERE memberships.team = ? ORDER BY absences.user, first, last
                """,
                [teamID.description]
            ) { (userID: try $0.parsed(as: User.ID.self), absence: try Absence(&$0)) }
        }
        return Dictionary(grouping: rows, by: \.userID).mapValues { $0.map(\.absence) }
    }

    func deletePast(before day: CalendarDay) async throws {
        try await database.write { db in
            try db.change("DELETE FROM absences WHERE last < ?", [day.description])
        }
    }
}

extension Absence {
    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(first: try row.parsed(), last: try row.parsed())
    }
}
