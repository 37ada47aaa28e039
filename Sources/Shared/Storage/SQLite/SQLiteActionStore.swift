import Foundation
import GRDB

/// Actions in the table `actions`. There is one writer, so what a transaction has read stays true until it commits.
struct SQLiteActionStore: ActionStore {
    let database: SQLiteDatabase

    func insert(_ action: Action, at place: ActionPlace) async throws {
        try await database.write { db in
            let team = action.teamID.description
            guard try db.countActionChange(in: team) else { throw AppError.noSuchTeam }
            try db.requireRoomToKeepAction(in: team)
            if action.state.isOpen { try db.requireRoomForAction(in: team) }
            try db.requireAssignee(of: action)
            let rank = try db.rank(of: action, at: place)
            let content = action.content
            try db.change(
                """
                INSERT INTO actions (\(Action.columns), rank) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    action.id.description, team, content.title, content.notes, content.quote,
                    content.quoteReaders.rawValue, content.assignee?.description, content.due?.description,
                    action.state.rawValue, action.made.start.seconds, action.made.label.description,
                    action.began?.start.seconds, action.began?.label.description, action.version, rank,
                ])
        }
    }

    func find(id: Action.ID) async throws -> Action? {
        try await database.read { try $0.action(id: id) }
    }

    func list(teamID: Team.ID, state: Action.State, limit: Int) async throws -> [Action] {
        try await database.read { db in
            try db.actions(
                where: "team = ? AND state = ? ORDER BY rank, id LIMIT ?",
                [teamID.description, state.rawValue, limit])
        }
    }

    func listBegun(teamID: Team.ID, in sprint: Date?, limit: Int) async throws -> [BegunAction] {
        let start = sprint?.seconds
        return try await database.read { db in
            try db.rows(
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
    }

    func list(assignee: User.ID) async throws -> [Action] {
        try await database.read { db in
            try db.actions(where: "assignee = ? ORDER BY id", [assignee.description])
        }
    }

    func update(_ action: Action, at place: ActionPlace?) async throws -> Action {
        try await database.write { db in
            let stored = try db.action(id: action.id, version: action.version)
            let team = stored.teamID.description
            if action.state.isOpen, !stored.state.isOpen { try db.requireRoomForAction(in: team) }
            // An assignee who left under an older version of the program must not block changes by the others.
            if action.content.assignee != stored.content.assignee { try db.requireAssignee(of: action) }
            try db.countActionChange(in: team)
            let content = action.content
            try db.change(
                """
                UPDATE actions SET title = ?, notes = ?, quote = ?, quoteReaders = ?, assignee = ?, due = ?, state = ?,
                    beganStart = ?, beganLabel = ?, version = version + 1, rank = coalesce(?, rank)
                WHERE id = ?
                """,
                [
                    content.title, content.notes, content.quote, content.quoteReaders.rawValue,
                    content.assignee?.description, content.due?.description, action.state.rawValue,
                    action.began?.start.seconds, action.began?.label.description,
                    try place.map { try db.rank(of: action, at: $0) }, action.id.description,
                ])
            var updated = action
            updated.version += 1
            return updated
        }
    }

    func delete(id: Action.ID, version: Int) async throws {
        try await database.write { db in
            let stored = try db.action(id: id, version: version)
            try db.countActionChange(in: stored.teamID.description)
            try db.change("DELETE FROM actions WHERE id = ?", [id.description])
        }
    }

    func release(assignee: User.ID) async throws {
        try await database.write { try $0.releaseActions(of: assignee.description, in: nil) }
    }

    func changeNumber(of teamID: Team.ID) async throws -> Int? {
        try await database.read { db in
            try db.first("SELECT actionChanges FROM teams WHERE id = ?", [teamID.description]) { $0.value() }
        }
    }
}

extension Database {
    /// Clears a leaving member's assignments, in the transaction in which they leave.
    /// - Parameter team: the team they leave; `nil` for all.
    func releaseActions(of user: String, in team: String?) throws {
        try change(
            """
            UPDATE actions SET assignee = NULL, version = version + 1 WHERE assignee = ?1 AND team = coalesce(?2, team)
            """,
            [user, team])
    }

    /// Invalidates every cache of what charts show of the team's actions.
    /// - Returns: whether the team exists.
    @discardableResult
    fileprivate func countActionChange(in team: String) throws -> Bool {
        try change("UPDATE teams SET actionChanges = actionChanges + 1 WHERE id = ?", [team]) == 1
    }

    fileprivate func action(id: Action.ID) throws -> Action? {
        try actions(where: "id = ?", [id.description]).first
    }

    fileprivate func action(id: Action.ID, version: Int) throws -> Action {
        guard let stored = try action(id: id) else { throw AppError.noSuchAction }
        guard stored.version == version else { throw AppError.actionChanged }
        return stored
    }

    /// The actions that match a condition, which may continue with an order and a limit.
    fileprivate func actions(where condition: String, _ arguments: SQLiteArguments) throws -> [Action] {
        try rows("SELECT \(Action.columns) FROM actions WHERE \(condition)", arguments) { try Action(&$0) }
    }

    fileprivate func requireRoomForAction(in team: String) throws {
        let open = try first("SELECT count(*) FROM actions WHERE team = ? AND state <> 'done'", [team]) {
            $0.value(as: Int.self)
        }
        guard (open ?? 0) < Action.maximumOpen else { throw AppError.tooManyActions }
    }

    fileprivate func requireRoomToKeepAction(in team: String) throws {
        let kept = try first("SELECT count(*) FROM actions WHERE team = ?", [team]) { $0.value(as: Int.self) }
        guard (kept ?? 0) < Action.maximumKept else { throw AppError.actionsFull }
    }

    fileprivate func requireAssignee(of action: Action) throws {
        guard let assignee = action.content.assignee else { return }
        guard try role(of: assignee.description, in: action.teamID.description) != nil else {
            throw AppError.assigneeNotInTeam
        }
    }

    /// The rank of that place in the action's column, which may already contain the action.
    fileprivate func rank(of action: Action, at place: ActionPlace) throws -> Int {
        let (lower, upper) = try neighbours(of: action, at: place)
        if let rank = ActionOrder.rank(after: lower, before: upper) { return rank }
        try change(
            "UPDATE actions SET rank = rank + ? WHERE team = ? AND state = ? AND rank >= ?",
            [ActionOrder.step, action.teamID.description, action.state.rawValue, upper])
        return try rank(of: action, at: place)
    }

    private func neighbours(of action: Action, at place: ActionPlace) throws -> (lower: Int?, upper: Int?) {
        let column: SQLiteArguments = [
            action.teamID.description, action.state.rawValue, action.id.description,
        ]
        let others = "FROM actions WHERE team = ? AND state = ? AND id <> ?"
        func rank(_ sql: String, _ more: SQLiteArguments = []) throws -> Int? {
            try first(sql, column + more) { $0.optional(as: Int.self) } ?? nil
        }
        switch place {
        case .first: return (nil, try rank("SELECT min(rank) \(others)"))
        case .last: return (try rank("SELECT max(rank) \(others)"), nil)
        case .before(let other):
            guard let upper = try rank("SELECT rank \(others) AND id = ?", [other.description]) else {
                return try neighbours(of: action, at: .last)
            }
            return (try rank("SELECT max(rank) \(others) AND rank < ?", [upper]), upper)
        }
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
