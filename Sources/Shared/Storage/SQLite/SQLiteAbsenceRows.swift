import Domain
import GRDB

extension Database: AbsenceRows {
    func absences(of userID: User.ID) throws -> [Absence] {
        try rows(
            "SELECT first, last FROM absences WHERE user = ? ORDER BY first, last", [userID.description]
        ) { try Absence(&$0) }
    }

    func absences(in teamID: Team.ID) throws -> [User.ID: [Absence]] {
        let rows = try rows(
            """
            SELECT absences.user, first, last FROM memberships JOIN absences ON absences.user = memberships.user
            WHERE memberships.team = ? ORDER BY absences.user, first, last
            """,
            [teamID.description]
        ) { (userID: try $0.parsed(as: User.ID.self), absence: try Absence(&$0)) }
        return Dictionary(grouping: rows, by: \.userID).mapValues { $0.map(\.absence) }
    }

    func absencesByTeam() throws -> [Team.ID: [[Absence]]] {
        struct Member: Hashable {
            let teamID: Team.ID
            let userID: User.ID
        }
        let rows = try rows(
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
        return Dictionary(grouping: rows, by: \.member).reduce(into: [:]) { teams, member in
            teams[member.key.teamID, default: []].append(member.value.map(\.absence))
        }
    }

    func deletePastAbsences(before day: CalendarDay) throws {
        try change("DELETE FROM absences WHERE last < ?", [day.description])
    }
}

extension Database: AbsenceChanges {
    func setAbsences(_ absences: [Absence], of userID: User.ID) throws {
        try change("DELETE FROM absences WHERE user = ?", [userID.description])
        for absence in absences {
            try change(
                "INSERT INTO absences (user, first, last) VALUES (?, ?, ?)",
                [userID.description, absence.first.description, absence.last.description])
        }
    }
}

extension Absence {
    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(first: try row.parsed(), last: try row.parsed())
    }
}
