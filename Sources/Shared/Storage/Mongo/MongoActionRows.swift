import Domain
import Foundation
import Mongo

extension MongoRows: ActionRows {
    func action(_ id: Action.ID) throws -> Action? {
        try collection(.actions).findOne(["_id": .id(id)], projection: Self.row, in: transaction).map(Action.init)
    }

    func actionCount(of teamID: Team.ID, isOpen: Bool) throws -> Int {
        var filter: BSONDocument = ["team": .id(teamID)]
        if isOpen { filter.append("state", ["$ne": .string(Action.State.done.rawValue)]) }
        return try collection(.actions).count(filter, in: transaction)
    }

    func rank(of other: Action.ID, inColumnOf action: Action) throws -> Int? {
        var filter = Self.column(of: action)
        filter.append("_id", .id(other))
        return try rank(filter)
    }

    func rank(_ end: ColumnEnd, below bound: Int?, inColumnOf action: Action) throws -> Int? {
        var others = Self.column(of: action)
        others.append("_id", ["$ne": .id(action.id)])
        others.appendIfPresent("rank", bound.map { ["$lt": .int($0)] })
        return try rank(others, sort: ["rank": end == .first ? 1 : -1])
    }

    private func rank(_ filter: BSONDocument, sort: BSONDocument? = nil) throws -> Int? {
        try collection(.actions).findOne(filter, sort: sort, projection: ["rank": 1], in: transaction)?.int("rank")
    }

    private static func column(of action: Action) -> BSONDocument {
        ["team": .id(action.teamID), "state": .string(action.state.rawValue)]
    }

    func actions(of teamID: Team.ID, state: Action.State, limit: Int) throws -> [Action] {
        guard limit > 0 else { return [] }
        return try collection(.actions)
            .find(
                ["team": .id(teamID), "state": .string(state.rawValue)], sort: ["rank": 1, "_id": 1],
                projection: Self.row, limit: limit, in: transaction
            )
            .map(Action.init)
    }

    func begunActions(of teamID: Team.ID, in sprint: Date?, limit: Int) throws -> [BegunAction] {
        guard limit > 0 else { return [] }
        return try collection(.actions)
            .find(
                ["team": .id(teamID), "began.start": sprint.map { .date($0) } ?? ["$exists": true]],
                sort: ["began.start": -1, "_id": 1], projection: ["title": 1, "began": 1], limit: limit, in: transaction
            )
            .map { document in
                BegunAction(
                    id: try document.parsed("_id"), teamID: teamID, title: try document.text("title"),
                    began: try ActionSprint(document.document("began")))
            }
    }

    func actions(assignedTo assignee: User.ID) throws -> [Action] {
        try collection(.actions)
            .find(["assignee": .id(assignee)], sort: ["_id": 1], projection: Self.row, in: transaction)
            .map(Action.init)
    }

    func actionChangeNumber(of teamID: Team.ID) throws -> Int? {
        let team = try collection(.teams).findOne(
            ["_id": .id(teamID)], projection: ["actionChanges": 1], in: transaction)
        // A team that never had an action lacks the field.
        return try team.map { $0["actionChanges"] == nil ? 0 : try $0.int("actionChanges") }
    }

    /// Without the marks, which are many in a large team.
    private static var row: BSONDocument { ["support": 0] }

    func supporterCounts(of actions: [Action.ID]) throws -> [Action.ID: Int] {
        let pipeline: [BSONDocument] = [
            ["$match": ["_id": .among(actions.map(BSONValue.id)), "support.0": ["$exists": true]]],
            ["$project": ["count": ["$size": "$support"]]],
        ]
        var counts: [Action.ID: Int] = [:]
        for document in try collection(.actions).aggregate(pipeline, in: transaction) {
            let id: Action.ID = try document.parsed("_id")
            counts[id] = try document.int("count")
        }
        return counts
    }

    func supported(among marks: [ActionSupport]) throws -> Set<Action.ID> {
        let stored: BSONDocument = [
            "_id": .among(marks.map { BSONValue.id($0.action) }),
            "support": .among(marks.map { BSONValue.binary($0.mark) }),
        ]
        return Set(
            try collection(.actions).find(stored, projection: ["_id": 1], in: transaction)
                .map { try $0.parsed("_id", as: Action.ID.self) })
    }

    func supportedActions(after: Action.ID?, limit: Int) throws -> [Action.ID] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = ["support.0": ["$exists": true]]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        return try collection(.actions)
            .find(filter, sort: ["_id": 1], projection: ["_id": 1], limit: limit, in: transaction)
            .map { try $0.parsed("_id") }
    }
}

extension MongoRows: ActionChanges {
    func insert(_ action: Action, rank: Int) throws {
        var document = action.document
        document.append("rank", .int(rank))
        try collection(.actions).insertOne(document, in: transaction)
    }

    func update(_ action: Action, rank: Int?) throws {
        var row = action.document
        row.appendIfPresent("rank", rank.map(BSONValue.int))
        try update(.actions, to: row, optional: ["quote", "assignee", "due", "began"])
    }

    func delete(_ action: Action) throws {
        try collection(.actions).deleteOne(["_id": .id(action.id)], in: transaction)
    }

    func shiftRanks(from first: Int, by step: Int, inColumnOf action: Action) throws {
        var moved = Self.column(of: action)
        moved.append("rank", ["$gte": .int(first)])
        try collection(.actions).updateMany(moved, ["$inc": ["rank": .int(step)]], in: transaction)
    }

    func releaseActions(of userID: User.ID, in teamID: Team.ID?) throws {
        var assigned: BSONDocument = ["assignee": .id(userID)]
        assigned.appendIfPresent("team", teamID.map(BSONValue.id))
        try collection(.actions).updateMany(
            assigned, ["$unset": ["assignee": ""], "$inc": ["version": 1]], in: transaction)
    }

    /// The marks are sorted: in the order in which they were added they would tell who came when.
    func insert(_ support: ActionSupport) throws {
        let mark = BSONValue.binary(support.mark)
        let added: BSONDocument = ["$each": .array([mark]), "$sort": 1]
        try collection(.actions).updateOne(
            ["_id": .id(support.action), "support": ["$ne": mark]], ["$push": ["support": .document(added)]],
            in: transaction)
    }

    func delete(_ support: ActionSupport) throws {
        try collection(.actions).updateOne(
            ["_id": .id(support.action)], ["$pull": ["support": .binary(support.mark)]], in: transaction)
    }

    func countActionChange(in teamID: Team.ID) throws -> Bool {
        try increment("actionChanges", of: teamID)
    }
}

extension Action {
    /// The stored form in `actions`, without its rank, and without `support`: the sorted marks of `ActionSupport`,
    /// missing until there is one.
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
