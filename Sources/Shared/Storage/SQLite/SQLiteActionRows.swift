import Domain
import Foundation
import GRDB

extension Database: ActionRows {
    func action(_ id: Action.ID) throws -> Action? {
        try actions(where: "id = ?", [id.description]).first
    }

    func actionCount(of teamID: Team.ID, isOpen: Bool) throws -> Int {
        let condition = isOpen ? "AND state <> 'done'" : ""
        return try first("SELECT count(*) FROM actions WHERE team = ? \(condition)", [teamID.description]) {
            $0.value()
        } ?? 0
    }

    func rank(of other: Action.ID, inColumnOf action: Action) throws -> Int? {
        try first(
            "SELECT rank FROM actions WHERE team = ? AND state = ? AND id = ?",
            [action.teamID.description, action.state.rawValue, other.description]
        ) { $0.value() }
    }

    func rank(_ end: ColumnEnd, below bound: Int?, inColumnOf action: Action) throws -> Int? {
        try first(
            """
            SELECT rank FROM actions WHERE team = ?1 AND state = ?2 AND id <> ?3 AND rank < coalesce(?4, rank + 1)
            ORDER BY rank \(end == .first ? "ASC" : "DESC") LIMIT 1
            """,
            [action.teamID.description, action.state.rawValue, action.id.description, bound]
        ) { $0.value() }
    }

    /// The actions that match a condition, which may continue with an order and a limit.
    fileprivate func actions(where condition: String, _ arguments: SQLiteArguments) throws -> [Action] {
        try rows("SELECT \(Action.columns) FROM actions WHERE \(condition)", arguments) { try Action(&$0) }
    }

    func actions(of teamID: Team.ID, state: Action.State, limit: Int) throws -> [Action] {
        try actions(
            where: "team = ? AND state = ? ORDER BY rank, id LIMIT ?",
            [teamID.description, state.rawValue, limit])
    }

    func begunActions(of teamID: Team.ID, in sprint: Date?, limit: Int) throws -> [BegunAction] {
        let start = sprint?.seconds
        return try rows(
            """
            SELECT id, title, beganStart, beganLabel FROM actions
            WHERE team = ?1 AND beganStart IS NOT NULL AND beganStart = coalesce(?2, beganStart)
            ORDER BY beganStart DESC, id LIMIT ?3
            """,
            [teamID.description, start, limit]
        ) { row in
            BegunAction(
                id: try row.parsed(), teamID: teamID, title: row.value(),
                began: ActionSprint(start: row.second(), label: try row.parsed()))
        }
    }

    func actions(assignedTo assignee: User.ID) throws -> [Action] {
        try actions(where: "assignee = ? ORDER BY id", [assignee.description])
    }

    func actionChangeNumber(of teamID: Team.ID) throws -> Int? {
        try first("SELECT actionChanges FROM teams WHERE id = ?", [teamID.description]) { $0.value() }
    }

    func supporterCounts(of actions: [Action.ID]) throws -> [Action.ID: Int] {
        try counts(
            """
            SELECT action, count(*) FROM actionSupport WHERE action IN (SELECT value FROM json_each(?)) GROUP BY action
            """,
            of: actions)
    }

    func supported(among marks: [ActionSupport]) throws -> Set<Action.ID> {
        let stored = try marks.filter { support in
            try contains(
                "SELECT 1 FROM actionSupport WHERE action = ? AND mark = ?",
                [support.action.description, Data(support.mark)])
        }
        return Set(stored.map(\.action))
    }

    func supportedActions(after: Action.ID?, limit: Int) throws -> [Action.ID] {
        try rows(
            "SELECT DISTINCT action FROM actionSupport WHERE action > ? ORDER BY action LIMIT ?",
            [after?.description ?? "", limit]
        ) { try $0.parsed() }
    }
}

extension Database: ActionChanges {
    func insert(_ action: Action, rank: Int) throws {
        let content = action.content
        try change(
            """
            INSERT INTO actions (\(Action.columns), rank) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                action.id.description, action.teamID.description, content.title, content.notes, content.quote,
                content.quoteReaders.rawValue, content.assignee?.description, content.due?.description,
                action.state.rawValue, action.made.start.seconds, action.made.label.description,
                action.began?.start.seconds, action.began?.label.description, action.version, rank,
            ])
    }

    func update(_ action: Action, rank: Int?) throws {
        let content = action.content
        try change(
            """
            UPDATE actions SET title = ?, notes = ?, quote = ?, quoteReaders = ?, assignee = ?, due = ?, state = ?,
                beganStart = ?, beganLabel = ?, version = ?, rank = coalesce(?, rank)
            WHERE id = ?
            """,
            [
                content.title, content.notes, content.quote, content.quoteReaders.rawValue,
                content.assignee?.description, content.due?.description, action.state.rawValue,
                action.began?.start.seconds, action.began?.label.description, action.version, rank,
                action.id.description,
            ])
    }

    func delete(_ action: Action) throws {
        try change("DELETE FROM actions WHERE id = ?", [action.id.description])
    }

    func shiftRanks(from first: Int, by step: Int, inColumnOf action: Action) throws {
        try change(
            "UPDATE actions SET rank = rank + ? WHERE team = ? AND state = ? AND rank >= ?",
            [step, action.teamID.description, action.state.rawValue, first])
    }

    func releaseActions(of userID: User.ID, in teamID: Team.ID?) throws {
        try change(
            """
            UPDATE actions SET assignee = NULL, version = version + 1 WHERE assignee = ?1 AND team = coalesce(?2, team)
            """,
            [userID.description, teamID?.description])
    }

    func insert(_ support: ActionSupport) throws {
        try change(
            "INSERT OR IGNORE INTO actionSupport (action, mark) VALUES (?, ?)",
            [support.action.description, Data(support.mark)])
    }

    func delete(_ support: ActionSupport) throws {
        try change(
            "DELETE FROM actionSupport WHERE action = ? AND mark = ?",
            [support.action.description, Data(support.mark)])
    }

    func countActionChange(in teamID: Team.ID) throws -> Bool {
        try change("UPDATE teams SET actionChanges = actionChanges + 1 WHERE id = ?", [teamID.description]) == 1
    }
}

extension Action {
    /// The columns, in the order in which they are read.
    fileprivate static let columns = """
        id, team, title, notes, quote, quoteReaders, assignee, due, state, madeStart, madeLabel, beganStart, beganLabel, \
        version
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        let (id, team): (Action.ID, Team.ID) = (try row.parsed(), try row.parsed())
        let content = ActionContent(
            title: row.value(), notes: row.value(), quote: row.optional(), quoteReaders: try row.named(),
            assignee: try row.optionalParsed(), due: try row.optionalParsed())
        let state: State = try row.named()
        let made = ActionSprint(start: row.second(), label: try row.parsed())
        let beganStart = row.optional(as: Int64.self).map { Date(timeIntervalSince1970: Double($0)) }
        let beganLabel: SprintLabel? = try row.optionalParsed()
        self.init(
            id: id, teamID: team, content: content, state: state, made: made,
            began: beganStart.flatMap { start in beganLabel.map { ActionSprint(start: start, label: $0) } },
            version: row.value())
    }
}
