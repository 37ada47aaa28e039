import Domain
import Foundation
import GRDB

extension Database: ExperimentRows, ExperimentWrites {
    func experiment(_ id: ReminderExperiment.ID) throws -> ReminderExperiment? {
        try experiments(where: "id = ?", [id.description]).first
    }

    func experiment(of teamID: Team.ID, on day: CalendarDay) throws -> ReminderExperiment? {
        let (team, day) = (teamID.description, day.description)
        return try experiments(where: "team = ? AND firstDay <= ? AND lastDay >= ?", [team, day, day]).first
    }

    func experiments(of teamID: Team.ID, limit: Int) throws -> [ReminderExperiment] {
        try experiments(where: "team = ? ORDER BY firstDay DESC LIMIT ?", [teamID.description, limit])
    }

    func experiments(
        within period: ClosedRange<CalendarDay>, after: ReminderExperiment.ID?, limit: Int
    ) throws -> [ReminderExperiment] {
        let (first, last) = (period.lowerBound.description, period.upperBound.description)
        return try experiments(
            where: "lastDay >= ? AND firstDay <= ? AND id > ? ORDER BY id LIMIT ?",
            [first, last, after?.description ?? "", limit])
    }

    func shortenExperiment(_ id: ReminderExperiment.ID, to last: CalendarDay) throws {
        let last = last.description
        try change(
            "UPDATE reminderExperiments SET lastDay = ? WHERE id = ? AND lastDay > ?",
            [last, id.description, last])
    }

    func deleteExperiment(_ id: ReminderExperiment.ID) throws {
        try change("DELETE FROM reminderExperiments WHERE id = ?", [id.description])
    }

    func noteMembers(_ marks: MemberMarks, in sprint: ExperimentSprint) throws {
        guard try canChange(sprint) else { return }
        var all = try self.marks(in: sprint)
        all.values.formUnion(marks.values)
        try change(
            """
            INSERT INTO experimentSprints (experiment, sprintStart, members) VALUES (?, ?, ?)
            ON CONFLICT (experiment, sprintStart) DO UPDATE SET members = excluded.members
            """,
            [sprint.experimentID.description, sprint.start.seconds, Data(all.bytes)])
    }

    func notedMembers(in sprint: ExperimentSprint) throws -> MemberMarks {
        try marks(in: sprint)
    }

    func record(_ result: ExperimentResult, of sprint: ExperimentSprint) throws -> Bool {
        let counts = result.counts
        guard try canChange(sprint) else { return false }
        try change(
            """
            INSERT INTO experimentSprints (
                experiment, sprintStart, result, membersA, votedA, membersB, votedB
            ) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (experiment, sprintStart) DO UPDATE SET members = NULL, result = excluded.result,
                membersA = excluded.membersA, votedA = excluded.votedA, membersB = excluded.membersB,
                votedB = excluded.votedB
            """,
            [
                sprint.experimentID.description, sprint.start.seconds, result.word, counts?.a.members,
                counts?.a.voted, counts?.b.members, counts?.b.voted,
            ])
        return true
    }

    func experimentResults(of id: ReminderExperiment.ID) throws -> [Date: ExperimentResult] {
        let results = try rows(
            """
            SELECT sprintStart, result, membersA, votedA, membersB, votedB FROM experimentSprints
            WHERE experiment = ? AND result IS NOT NULL
            """,
            [id.description]
        ) { row in
            let start = row.second()
            let word: String = row.value()
            let numbers: [Int?] = (0..<4).map { _ in row.optional() }
            return (start, try ExperimentResult(word: word, numbers: numbers.compactMap(\.self)))
        }
        return Dictionary(uniqueKeysWithValues: results)
    }

    func overlapsAnother(_ experiment: ReminderExperiment) throws -> Bool {
        try contains(
            "SELECT 1 FROM reminderExperiments WHERE team = ? AND firstDay <= ? AND lastDay >= ?",
            [experiment.teamID.description, experiment.last.description, experiment.first.description])
    }
}

extension Database: ExperimentChanges {
    func insert(_ experiment: ReminderExperiment) throws {
        let id = experiment.id.description
        try change(
            "INSERT INTO reminderExperiments (\(ReminderExperiment.columns)) VALUES (?, ?, ?, ?, ?)",
            [
                id, experiment.teamID.description, experiment.kind.rawValue, experiment.first.description,
                experiment.last.description,
            ])
        for (side, translations) in experiment.wordings {
            for (locale, text) in translations {
                try change(
                    "INSERT INTO experimentTexts (experiment, side, locale, title, body) VALUES (?, ?, ?, ?, ?)",
                    [id, side.rawValue, locale.rawValue, text.title, text.body])
            }
        }
    }
}

extension Database {
    /// The experiments with their texts that match a condition, which may continue with an order and a limit.
    fileprivate func experiments(
        where condition: String, _ arguments: SQLiteArguments
    ) throws -> [ReminderExperiment] {
        try rows("SELECT \(ReminderExperiment.columns) FROM reminderExperiments WHERE \(condition)", arguments) { row in
            let id: ReminderExperiment.ID = try row.parsed()
            return ReminderExperiment(
                id: id, teamID: try row.parsed(), kind: try row.named(), first: try row.parsed(),
                last: try row.parsed(), wordings: try wordings(of: id))
        }
    }

    private func wordings(
        of id: ReminderExperiment.ID
    ) throws -> [ReminderExperiment.Side: [MailLocale: ReminderText]] {
        var wordings: [ReminderExperiment.Side: [MailLocale: ReminderText]] = [:]
        _ = try rows("SELECT side, locale, title, body FROM experimentTexts WHERE experiment = ?", [id.description]) {
            row in
            let side: ReminderExperiment.Side = try row.named()
            let locale: MailLocale = try row.named()
            wordings[side, default: [:]][locale] = ReminderText(title: row.value(), body: row.value())
        }
        return wordings
    }

    /// Whether the experiment exists and the sprint has no result yet.
    fileprivate func canChange(_ sprint: ExperimentSprint) throws -> Bool {
        try contains(
            """
            SELECT 1 FROM reminderExperiments WHERE id = ?1 AND NOT EXISTS (
                SELECT 1 FROM experimentSprints WHERE experiment = ?1 AND sprintStart = ?2 AND result IS NOT NULL)
            """,
            [sprint.experimentID.description, sprint.start.seconds])
    }

    fileprivate func marks(in sprint: ExperimentSprint) throws -> MemberMarks {
        let bytes = try first(
            "SELECT members FROM experimentSprints WHERE experiment = ? AND sprintStart = ?",
            [sprint.experimentID.description, sprint.start.seconds]
        ) { $0.optionalBytes() }
        return MemberMarks(bytes: (bytes ?? nil) ?? [])
    }
}

extension ReminderExperiment {
    /// The columns, in the order in which they are read.
    static let columns = "id, team, kind, firstDay, lastDay"
}
