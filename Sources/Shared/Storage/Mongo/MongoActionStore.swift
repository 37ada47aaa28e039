import Foundation
import Mongo

/// `ActionStore` on the collection `actions`.
///
/// Decisions that depend on more than one document (order, limit, membership) run in a transaction that first writes to
/// the team. If two run concurrently, one gets a write conflict there, is retried and sees the other's changes. Leaving
/// the team writes to it as well.
struct MongoActionStore: ActionStore {
    let connection: MongoConnection

    func insert(_ action: Action, at place: ActionPlace) async throws {
        try await change(action.teamID) { database, transaction in
            try database.requireRoomToKeepAction(in: action.teamID, transaction)
            if action.state.isOpen { try database.requireRoomForAction(in: action.teamID, transaction) }
            try database.requireAssignee(of: action, transaction)
            let rank = try database.rank(of: action, at: place, transaction)
            var document = action.document
            document.append("rank", .int(rank))
            try database.collection(.actions).insertOne(document, in: transaction)
        }
    }

    func find(id: Action.ID) async throws -> Action? {
        try await connection.run { try $0.collection(.actions).findOne(["_id": .id(id)]).map(Action.init) }
    }

    func list(teamID: Team.ID, state: Action.State, limit: Int) async throws -> [Action] {
        guard limit > 0 else { return [] }
        return try await connection.run { database in
            try database.collection(.actions)
                .find(
                    ["team": .id(teamID), "state": .string(state.rawValue)], sort: ["rank": 1, "_id": 1], limit: limit
                )
                .map(Action.init)
        }
    }

    func listBegun(teamID: Team.ID, in sprint: Date?, limit: Int) async throws -> [BegunAction] {
        guard limit > 0 else { return [] }
        return try await connection.run { database in
            try database.collection(.actions)
                .find(
                    ["team": .id(teamID), "began.start": sprint.map { .date($0) } ?? ["$exists": true]],
                    sort: ["began.start": -1, "_id": 1], projection: ["title": 1, "began": 1], limit: limit
                )
                .map { document in
                    BegunAction(
                        id: try document.parsed("_id"), teamID: teamID, title: try document.text("title"),
                        began: try ActionSprint(document.document("began")))
                }
        }
    }

    func list(assignee: User.ID) async throws -> [Action] {
        try await connection.run { database in
            try database.collection(.actions).find(["assignee": .id(assignee)], sort: ["_id": 1]).map(Action.init)
        }
    }

    func update(_ action: Action, at place: ActionPlace?) async throws -> Action {
        var updated = action
        updated.version += 1
        let result = updated
        try await change(action.teamID) { database, transaction in
            let actions = database.collection(.actions)
            let stored = try database.action(id: action.id, version: action.version, transaction)
            let former = try Action(stored)
            if action.state.isOpen, !former.state.isOpen {
                try database.requireRoomForAction(in: action.teamID, transaction)
            }
            // An assignee who left under an older version of the program must not block changes by the others.
            if action.content.assignee != former.content.assignee {
                try database.requireAssignee(of: action, transaction)
            }
            var document = result.document
            let rank = try place.map { try database.rank(of: action, at: $0, transaction) }
            document.append("rank", .int(try rank ?? stored.int("rank")))
            try actions.replaceOne(["_id": .id(action.id)], document, upsert: false, in: transaction)
        }
        return result
    }

    func delete(id: Action.ID, version: Int) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                let stored = try Action(database.action(id: id, version: version, transaction))
                try database.countActionChange(in: stored.teamID, transaction)
                try database.collection(.actions).deleteOne(["_id": .id(id)], in: transaction)
            }
        }
    }

    func release(assignee: User.ID) async throws {
        try await connection.run { database in
            try database.boundedTransaction { try database.releaseActions(of: assignee, in: nil, $0) }
        }
    }

    func changeNumber(of teamID: Team.ID) async throws -> Int? {
        try await connection.run { database in
            let team = try database.collection(.teams).findOne(
                ["_id": .id(teamID)], projection: ["actionChanges": 1])
            // A team that never had an action lacks the field.
            return try team.map { $0["actionChanges"] == nil ? 0 : try $0.int("actionChanges") }
        }
    }

    private func change(
        _ teamID: Team.ID, _ body: @escaping @Sendable (MongoDatabase, MongoTransaction) throws -> Void
    ) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                guard try database.countActionChange(in: teamID, transaction) else { throw AppError.noSuchTeam }
                try body(database, transaction)
            }
        }
    }
}

extension MongoDatabase {
    /// Clears a leaving member's assignments, in the transaction in which they leave and after it wrote to the team.
    /// - Parameter teamID: the team they leave; `nil` for all.
    func releaseActions(of userID: User.ID, in teamID: Team.ID?, _ transaction: MongoTransaction) throws {
        var filter: BSONDocument = ["assignee": .id(userID)]
        filter.appendIfPresent("team", teamID.map(BSONValue.id))
        try collection(.actions).updateMany(
            filter, ["$unset": ["assignee": ""], "$inc": ["version": 1]], in: transaction)
    }

    /// Invalidates every cache of what charts show of the team's actions.
    /// - Returns: whether the team exists.
    @discardableResult
    fileprivate func countActionChange(in teamID: Team.ID, _ transaction: MongoTransaction) throws -> Bool {
        try collection(.teams).updateOne(["_id": .id(teamID)], ["$inc": ["actionChanges": 1]], in: transaction)
            .matched == 1
    }

    fileprivate func action(
        id: Action.ID, version: Int, _ transaction: MongoTransaction
    ) throws -> BSONDocument {
        guard let stored = try collection(.actions).findOne(["_id": .id(id)], in: transaction) else {
            throw AppError.noSuchAction
        }
        guard try stored.int("version") == version else { throw AppError.actionChanged }
        return stored
    }

    fileprivate func requireRoomForAction(in teamID: Team.ID, _ transaction: MongoTransaction) throws {
        let open: BSONDocument = [
            "team": .id(teamID), "state": ["$ne": .string(Action.State.done.rawValue)],
        ]
        let found = try collection(.actions).find(
            open, projection: ["_id": 1], limit: Action.maximumOpen, in: transaction)
        guard found.count < Action.maximumOpen else { throw AppError.tooManyActions }
    }

    fileprivate func requireRoomToKeepAction(in teamID: Team.ID, _ transaction: MongoTransaction) throws {
        let kept = try collection(.actions).count(["team": .id(teamID)], in: transaction)
        guard kept < Action.maximumKept else { throw AppError.actionsFull }
    }

    fileprivate func requireAssignee(of action: Action, _ transaction: MongoTransaction) throws {
        guard let assignee = action.content.assignee else { return }
        let key = BSONValue.string(Membership.documentID(of: assignee, in: action.teamID))
        guard try collection(.memberships).findOne(["_id": key], projection: ["_id": 1], in: transaction) != nil else {
            throw AppError.assigneeNotInTeam
        }
    }

    /// The rank of that place in the action's column, which may already contain the action.
    fileprivate func rank(of action: Action, at place: ActionPlace, _ transaction: MongoTransaction) throws -> Int {
        let (lower, upper) = try neighbours(of: action, at: place, transaction)
        if let rank = ActionOrder.rank(after: lower, before: upper) { return rank }
        let behind: BSONDocument = [
            "team": .id(action.teamID), "state": .string(action.state.rawValue),
            "rank": ["$gte": upper.map(BSONValue.int) ?? .null],
        ]
        try collection(.actions).updateMany(behind, ["$inc": ["rank": .int(ActionOrder.step)]], in: transaction)
        return try rank(of: action, at: place, transaction)
    }

    private func neighbours(
        of action: Action, at place: ActionPlace, _ transaction: MongoTransaction
    ) throws -> (lower: Int?, upper: Int?) {
        /// The first or last rank of the other actions in the column, or of those that match a condition.
        func rank(_ direction: BSONValue, _ field: String? = nil, _ condition: BSONValue = .null) throws -> Int? {
            var filter: BSONDocument = [
                "team": .id(action.teamID), "state": .string(action.state.rawValue), "_id": ["$ne": .id(action.id)],
            ]
            if let field { filter.append(field, condition) }
            return try collection(.actions)
                .findOne(filter, sort: ["rank": direction], projection: ["rank": 1], in: transaction)?
                .int("rank")
        }
        switch place {
        case .first: return (nil, try rank(1))
        case .last: return (try rank(-1), nil)
        case .before(let other):
            guard other != action.id,
                let upper = try rank(1, "$and", .array([["_id": .id(other)]]))
            else { return try neighbours(of: action, at: .last, transaction) }
            return (try rank(-1, "rank", ["$lt": .int(upper)]), upper)
        }
    }
}

extension Action {
    /// The stored form in `actions`, without its rank.
    fileprivate var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "team": .id(teamID),
            "title": .string(content.title),
            "notes": .string(content.notes),
            "quoteReaders": .string(content.quoteReaders.rawValue),
            "state": .string(state.rawValue),
            "made": .document(made.document),
            "version": .int(version),
        ]
        document.appendIfPresent("quote", content.quote.map { .string($0) })
        document.appendIfPresent("assignee", content.assignee.map { .id($0) })
        document.appendIfPresent("due", content.due.map { .string($0.description) })
        document.appendIfPresent("began", began.map { .document($0.document) })
        return document
    }

    /// Parses the result of `document`.
    fileprivate init(_ document: BSONDocument) throws {
        let content = ActionContent(
            title: try document.text("title"), notes: try document.text("notes"),
            quote: document["quote"] == nil ? nil : try document.text("quote"),
            quoteReaders: try document.choice("quoteReaders"),
            assignee: document["assignee"] == nil ? nil : try document.parsed("assignee"),
            due: document["due"] == nil ? nil : try document.parsed("due"))
        self.init(
            id: try document.parsed("_id"), teamID: try document.parsed("team"), content: content,
            state: try document.choice("state"), made: try ActionSprint(document.document("made")),
            began: document["began"] == nil ? nil : try ActionSprint(document.document("began")),
            version: try document.int("version"))
    }
}

extension ActionSprint {
    fileprivate var document: BSONDocument { ["start": .date(start), "label": .string(label.description)] }

    fileprivate init(_ document: BSONDocument) throws {
        self.init(start: try document.date("start"), label: try document.parsed("label"))
    }
}
