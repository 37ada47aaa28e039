import Foundation
import GRDB

/// Sprints in the table `happiness`.
struct SQLiteSprintStore: SprintStore {
    let database: SQLiteDatabase

    func start(_ sprint: Sprint) async throws -> Sprint {
        try await database.write { db in
            let running = try db.first(
                """
                SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintEnd > ?
                ORDER BY sprintStart LIMIT 1
                """,
                [sprint.teamID.description, sprint.start.seconds]
            ) { try SprintRecord(&$0) }
            if let running { return running.sprint }
            guard try db.countPublication(of: sprint.teamID) else { throw AppError.noSuchTeam }
            let started = sprint.labelled(try db.freeLabel(for: sprint))
            try db.insert(SprintRecord(sprint: started, state: .initial, eligible: nil))
            return started
        }
    }

    func find(_ key: Sprint.Key) async throws -> SprintRecord? {
        try await database.read { try $0.sprint(key) }
    }

    func find(teamID: Team.ID, label: SprintLabel) async throws -> SprintRecord? {
        try await database.read { db in
            try db.first(
                """
                SELECT \(SprintRecord.columns) FROM happiness
                WHERE team = ? AND labelYear = ? AND labelNumber = ? AND labelSuffix = ?
                """,
                [teamID.description, label.year, label.number, label.suffix]
            ) { try SprintRecord(&$0) }
        }
    }

    func find(teamID: Team.ID, endingAt end: Date) async throws -> SprintRecord? {
        try await database.read { db in
            try db.first(
                "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintEnd = ?",
                [teamID.description, end.seconds]
            ) { try SprintRecord(&$0) }
        }
    }

    func latest(teamID: Team.ID) async throws -> SprintRecord? {
        try await database.read { db in
            try db.first(
                "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? ORDER BY sprintStart DESC LIMIT 1",
                [teamID.description]
            ) { try SprintRecord(&$0) }
        }
    }

    func list(teamID: Team.ID, matching filter: SprintFilter) async throws -> [SprintRecord] {
        let (condition, bounds): (String, SQLiteArguments) =
            switch filter {
            case .all: ("", [])
            case .year(let year): ("AND labelYear = ?", [year])
            case .range(let from, let through):
                (
                    "AND (labelYear, labelNumber) >= (?, ?) AND (labelYear, labelNumber) <= (?, ?)",
                    [from.year, from.number, through.year, through.number]
                )
            }
        let latestFirst = try await database.read { db in
            try db.rows(
                """
                SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? \(condition)
                ORDER BY sprintStart DESC LIMIT \(SprintFilter.maximumCount)
                """,
                [teamID.description] + bounds
            ) { try SprintRecord(&$0) }
        }
        return latestFirst.reversed()
    }

    func keys(teamID: Team.ID) async throws -> [Sprint.Key] {
        try await database.read { db in
            try db.rows(
                "SELECT sprintStart FROM happiness WHERE team = ? ORDER BY sprintStart", [teamID.description]
            ) { Sprint.Key(teamID: teamID, start: $0.second()) }
        }
    }

    func unfinished(teamID: Team.ID?, at now: Date, limit: Int) async throws -> [SprintRecord] {
        let ofTeam = teamID == nil ? "" : "AND team = ?"
        let arguments: SQLiteArguments =
            teamID.map { [now.seconds, $0.description, limit] } ?? [now.seconds, limit]
        return try await database.read { db in
            try db.rows(
                """
                SELECT \(SprintRecord.columns) FROM happiness
                WHERE isCleared = 0 AND (closes <= ? OR isClosed = 1) \(ofTeam) ORDER BY closes LIMIT ?
                """,
                arguments
            ) { try SprintRecord(&$0) }
        }
    }

    func uncleared(after: Sprint.Key?, limit: Int) async throws -> [Sprint.Key] {
        try await database.read { db in
            try db.rows(
                """
                SELECT team, sprintStart FROM happiness
                WHERE isCleared = 0 AND (team, sprintStart) > (?, ?) ORDER BY team, sprintStart LIMIT ?
                """,
                [after?.teamID.description ?? "", after?.start.seconds ?? 0, limit]
            ) { Sprint.Key(teamID: try $0.parsed(), start: $0.second()) }
        }
    }

    func importClosed(_ records: [SprintRecord]) async throws {
        try await database.write { db in
            for record in records {
                try db.insert(record)
            }
            for teamID in Set(records.map(\.sprint.teamID)) {
                try db.countPublication(of: teamID)
            }
        }
    }
}

extension Database {
    /// The sprint's own label or, if the team has already used it, the next free one.
    fileprivate func freeLabel(for sprint: Sprint) throws -> SprintLabel {
        let label = sprint.label
        let taken = try rows(
            "SELECT labelSuffix FROM happiness WHERE team = ? AND labelYear = ? AND labelNumber = ?",
            [sprint.teamID.description, label.year, label.number]
        ) { SprintLabel(year: label.year, number: label.number, suffix: $0.value()) }
        guard let free = label.firstFree(among: Set(taken)) else {
            throw AppError.labelTaken
        }
        return free
    }
}
