import GRDB

/// Absences in the table `absences`. Deleting a user deletes the user's rows.
struct SQLiteAbsenceStore: SQLiteTransactions, AbsenceStore {
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

    func listByTeam() async throws -> [Team.ID: [[Absence]]] {
        struct Member: Hashable {
            let teamID: Team.ID
            let userID: User.ID
        }
        let rows = try await database.read { db in
            try db.rows(
                """
                SELECT memberships.team, absences.user, first, last
                FROM absences JOIN memberships ON memberships.user = absences.user
                ORDER BY absences.user, first, last
                """
            ) {
                (
                    member: Member(teamID: try $0.parsed(), userID: try $0.parsed()), absence: try Absence(&$0)
                )
            }
        }
        return Dictionary(grouping: rows, by: \.member).reduce(into: [:]) { teams, member in
            teams[member.key.teamID, default: []].append(member.value.map(\.absence))
        }
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
