import Domain
import Foundation
import GRDB

extension Database: SprintRows {
    func openSprints(of teamIDs: Set<Team.ID>) throws -> [SprintRecord] {
        try teamIDs.flatMap { teamID in
            try rows(
                "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND isClosed = 0", [teamID.description]
            ) { try SprintRecord(&$0) }
        }
    }

    func sprintCount(of teamID: Team.ID) throws -> Int {
        try first("SELECT count(*) FROM happiness WHERE team = ?", [teamID.description]) { $0.value() } ?? 0
    }

    func sprint(of teamID: Team.ID, endingAfter instant: Date) throws -> Sprint? {
        try first(
            """
            SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintEnd > ?
            ORDER BY sprintStart LIMIT 1
            """,
            [teamID.description, instant.seconds]
        ) { try SprintRecord(&$0).sprint }
    }

    func sprint(of teamID: Team.ID, labelled label: SprintLabel) throws -> SprintRecord? {
        try first(
            """
            SELECT \(SprintRecord.columns) FROM happiness
            WHERE team = ? AND labelYear = ? AND labelNumber = ? AND labelSuffix = ?
            """,
            [teamID.description, label.year, label.number, label.suffix]
        ) { try SprintRecord(&$0) }
    }

    func sprints(of teamID: Team.ID, startingAfter instant: Date) throws -> [SprintRecord] {
        try rows(
            "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintStart > ? ORDER BY sprintStart",
            [teamID.description, instant.seconds]
        ) { try SprintRecord(&$0) }
    }

    func hasBallotKey(_ key: Sprint.Key) throws -> Bool {
        try contains(
            "SELECT 1 FROM ballotKeys WHERE team = ? AND sprintStart = ?", [key.teamID.description, key.start.seconds])
    }

    func labels(of teamID: Team.ID, like label: SprintLabel) throws -> Set<SprintLabel> {
        let labels = try rows(
            "SELECT labelSuffix FROM happiness WHERE team = ? AND labelYear = ? AND labelNumber = ?",
            [teamID.description, label.year, label.number]
        ) { SprintLabel(year: label.year, number: label.number, suffix: $0.value()) }
        return Set(labels)
    }

    func sprint(of teamID: Team.ID, endingAt end: Date) throws -> SprintRecord? {
        try first(
            "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintEnd = ?",
            [teamID.description, end.seconds]
        ) { try SprintRecord(&$0) }
    }

    func latestSprint(of teamID: Team.ID) throws -> SprintRecord? {
        try first(
            "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? ORDER BY sprintStart DESC LIMIT 1",
            [teamID.description]
        ) { try SprintRecord(&$0) }
    }

    func sprints(of teamID: Team.ID, matching filter: SprintFilter) throws -> [SprintRecord] {
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
        let latestFirst = try rows(
            """
            SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? \(condition)
            ORDER BY sprintStart DESC LIMIT \(SprintFilter.maximumCount)
            """,
            [teamID.description] + bounds
        ) { try SprintRecord(&$0) }
        return latestFirst.reversed()
    }

    func sprintKeys(of teamID: Team.ID) throws -> [Sprint.Key] {
        try rows(
            "SELECT sprintStart FROM happiness WHERE team = ? ORDER BY sprintStart", [teamID.description]
        ) { Sprint.Key(teamID: teamID, start: $0.second()) }
    }

    func unfinishedSprints(of teamID: Team.ID?, at now: Date, limit: Int) throws -> [SprintRecord] {
        let ofTeam = teamID == nil ? "" : "AND team = ?"
        let arguments: SQLiteArguments =
            teamID.map { [now.seconds, $0.description, limit] } ?? [now.seconds, limit]
        return try rows(
            """
            SELECT \(SprintRecord.columns) FROM happiness
            WHERE isCleared = 0 AND (closes <= ? OR isClosed = 1) \(ofTeam) ORDER BY closes LIMIT ?
            """,
            arguments
        ) { try SprintRecord(&$0) }
    }

    func unclearedSprints(after: Sprint.Key?, limit: Int) throws -> [Sprint.Key] {
        try rows(
            """
            SELECT team, sprintStart FROM happiness
            WHERE isCleared = 0 AND (team, sprintStart) > (?, ?) ORDER BY team, sprintStart LIMIT ?
            """,
            [after?.teamID.description ?? "", after?.start.seconds ?? 0, limit]
        ) { Sprint.Key(teamID: try $0.parsed(), start: $0.second()) }
    }
}

extension Database {
    /// The team's latest sprint that starts at the instant or before.
    func latestSprint(of teamID: Team.ID, startedBy instant: Date) throws -> SprintRecord? {
        try first(
            """
            SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintStart <= ?
            ORDER BY sprintStart DESC LIMIT 1
            """,
            [teamID.description, instant.seconds]
        ) { try SprintRecord(&$0) }
    }
}

extension Database: SprintChanges {
    func insert(_ records: [SprintRecord]) throws {
        for record in records { try insert(record) }
    }

    func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) throws {
        // The first snapshot releases them: they are visible as soon as anything of the sprint is. Stored in order of
        // their ids, like texts of a cleared sprint.
        let stored = texts.map { (key: $0.key, id: Feedback.ID.random(), text: $0.text.text) }.sorted { $0.id < $1.id }
        for (key, id, text) in stored {
            try insert(StoredFeedback(id: id, snapshot: 1, content: .plain(text)), of: key)
        }
    }

    func deleteImportedSprints(of teamID: Team.ID) throws -> Int {
        try change(
            "DELETE FROM happiness WHERE team = ? AND isImported = 1 AND isCleared = 1", [teamID.description])
    }

    func setThreshold(_ threshold: Int, _ raise: ThresholdRaise, of key: Sprint.Key) throws {
        try change(
            """
            UPDATE happiness SET threshold = ?, raisedFrom = ?, raisedAtCount = ?, isRaiseSpent = ?
            WHERE team = ? AND sprintStart = ?
            """,
            [
                threshold, raise.from, raise.ballots, raise.isSpent, key.teamID.description, key.start.seconds,
            ])
    }

    func reopen(_ key: Sprint.Key, as label: SprintLabel) throws {
        try change(
            """
            UPDATE happiness SET isClosed = 0, isCleared = 0, eligible = NULL, sealed = NULL, labelSuffix = ?
            WHERE team = ? AND sprintStart = ?
            """,
            [label.suffix, key.teamID.description, key.start.seconds])
        try deleteKeyAndResults(of: key)
    }

    func deleteEmptySprint(_ key: Sprint.Key) throws {
        try change(
            "DELETE FROM happiness WHERE team = ? AND sprintStart = ?", [key.teamID.description, key.start.seconds])
        try deleteKeyAndResults(of: key)
    }

    private func deleteKeyAndResults(of key: Sprint.Key) throws {
        let sprint: SQLiteArguments = [key.teamID.description, key.start.seconds]
        try change("DELETE FROM ballotKeys WHERE team = ? AND sprintStart = ? AND privateKey IS NULL", sprint)
        try change(
            """
            DELETE FROM experimentSprints
            WHERE experiment IN (SELECT id FROM reminderExperiments WHERE team = ?) AND sprintStart = ?
            """, sprint)
    }

    func countJoined(in teamID: Team.ID) throws {
        try change("UPDATE happiness SET joined = joined + 1 WHERE team = ? AND isClosed = 0", [teamID.description])
    }
}
