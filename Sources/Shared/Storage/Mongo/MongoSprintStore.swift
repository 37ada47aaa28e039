import Foundation
import Mongo

/// `SprintStore` on the collection `happiness`.
struct MongoSprintStore: SprintStore {
    let connection: MongoConnection

    func start(_ sprint: Sprint) async throws -> Sprint {
        try await connection.run { database in
            if let running = try Self.earliest(endingAfter: sprint.start, of: sprint.teamID, in: database) {
                return running
            }
            do {
                return try database.boundedTransaction { try Self.start(sprint, in: database, $0) }
            } catch let found as AlreadyRunning {
                return found.sprint
            }
        }
    }

    func find(_ key: Sprint.Key) async throws -> SprintRecord? {
        try await findOne(["_id": .string(key.documentID)])
    }

    func find(teamID: Team.ID, label: SprintLabel) async throws -> SprintRecord? {
        try await findOne(["team": .id(teamID), "label": .string(label.description)])
    }

    func find(teamID: Team.ID, endingAt instant: Date) async throws -> SprintRecord? {
        // Sprints of a team do not overlap, so it can only be the last one that starts before the instant.
        let last = try await findOne(["team": .id(teamID), "start": ["$lt": .date(instant)]], sort: ["start": -1])
        return last?.sprint.end == instant ? last : nil
    }

    func latest(teamID: Team.ID) async throws -> SprintRecord? {
        try await findOne(["team": .id(teamID)], sort: ["start": -1])
    }

    func list(teamID: Team.ID, matching filter: SprintFilter) async throws -> [SprintRecord] {
        var query: BSONDocument = ["team": .id(teamID)]
        query.appendIfPresent("ordinal", Self.ordinals(of: filter))
        let chosen = query
        let latestFirst = try await connection.run { database in
            try database.collection(.happiness)
                .find(chosen, sort: ["start": -1], limit: SprintFilter.maximumCount, options: Self.oneBatch)
                .map(SprintRecord.init)
        }
        return latestFirst.reversed()
    }

    func keys(teamID: Team.ID) async throws -> [Sprint.Key] {
        try await connection.run { database in
            try database.collection(.happiness)
                .find(["team": .id(teamID)], sort: ["start": 1], projection: ["_id": 0, "start": 1])
                .map { Sprint.Key(teamID: teamID, start: try $0.date("start")) }
        }
    }

    func unfinished(teamID: Team.ID?, at now: Date, limit: Int) async throws -> [SprintRecord] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = ["cleared": false, "$or": [["closes": ["$lte": .date(now)]], ["closed": true]]]
        filter.appendIfPresent("team", teamID.map { .id($0) })
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.happiness).find(chosen, sort: ["closes": 1], limit: limit).map(SprintRecord.init)
        }
    }

    func uncleared(after: Sprint.Key?, limit: Int) async throws -> [Sprint.Key] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = ["cleared": false]
        if let after {
            filter.append(
                "$or",
                [
                    ["team": ["$gt": .id(after.teamID)]],
                    ["team": .id(after.teamID), "start": ["$gt": .date(after.start)]],
                ])
        }
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.happiness)
                .find(chosen, sort: ["team": 1, "start": 1], projection: ["team": 1, "start": 1], limit: limit)
                .map { Sprint.Key(teamID: try $0.parsed("team"), start: try $0.date("start")) }
        }
    }

    func importClosed(_ records: [SprintRecord]) async throws {
        guard !records.isEmpty else { return }
        try await connection.run { database in
            do {
                try database.boundedTransaction { transaction in
                    for teamID in Set(records.map(\.sprint.teamID)) {
                        try Self.countPublications(of: teamID, in: database, transaction)
                    }
                    try database.collection(.happiness).insertMany(records.map(\.document), in: transaction)
                }
            } catch let error as MongoError where error.kind == .duplicateKey {
                throw AppError(.conflict, "One of these sprints is there already.")
            }
        }
    }

    private func findOne(_ filter: BSONDocument, sort: BSONDocument? = nil) async throws -> SprintRecord? {
        try await connection.run { try $0.collection(.happiness).findOne(filter, sort: sort).map(SprintRecord.init) }
    }

    /// Another process was faster: rolls the transaction back, including its publication number.
    private struct AlreadyRunning: Error {
        let sprint: Sprint
    }

    private static func start(
        _ sprint: Sprint, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws -> Sprint {
        // Written first: if two processes start a sprint concurrently, one gets a write conflict here, is retried and
        // finds the other's sprint.
        let team = try countPublications(of: sprint.teamID, in: database, transaction)
        guard team.matched == 1 else { throw AppError.noSuchTeam }
        if let running = try earliest(endingAfter: sprint.start, of: sprint.teamID, in: database, transaction) {
            throw AlreadyRunning(sprint: running)
        }
        let started = try labelled(sprint, in: database, transaction)
        let record = SprintRecord(sprint: started, state: .initial, eligible: nil)
        try database.collection(.happiness).insertOne(record.document, in: transaction)
        return started
    }

    /// Returns a year of history, or twenty, in one reply instead of the first 101 documents and then the rest.
    private static let oneBatch: BSONDocument = ["batchSize": .int(SprintFilter.maximumCount)]

    private static func ordinals(of filter: SprintFilter) -> BSONValue? {
        switch filter {
        case .all:
            nil
        case .year(let year):
            [
                "$gte": .int(SprintLabel(year: year, number: SprintLabel.numbers.lowerBound).ordinal),
                "$lte": .int(SprintLabel(year: year, number: SprintLabel.numbers.upperBound).ordinal),
            ]
        case .range(let from, let through):
            ["$gte": .int(from.ordinal), "$lte": .int(through.ordinal)]
        }
    }

    private static func earliest(
        endingAfter instant: Date, of teamID: Team.ID, in database: MongoDatabase,
        _ transaction: MongoTransaction? = nil
    ) throws -> Sprint? {
        try database.collection(.happiness)
            .findOne(["team": .id(teamID), "end": ["$gt": .date(instant)]], sort: ["start": 1], in: transaction)
            .map(Sprint.init)
    }

    /// The sprint with the first label of its number that the team has not used yet.
    private static func labelled(
        _ sprint: Sprint, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws -> Sprint {
        let taken = try database.collection(.happiness)
            .find(
                ["team": .id(sprint.teamID), "ordinal": .int(sprint.label.ordinal)], projection: ["label": 1],
                in: transaction
            )
            .map { try $0.parsed("label", as: SprintLabel.self) }
        guard let label = sprint.label.firstFree(among: Set(taken)) else {
            throw AppError.labelTaken
        }
        return sprint.labelled(label)
    }

    /// Increments the team's `publicationNumber`: this transaction changes what members may see.
    @discardableResult
    static func countPublications(
        _ count: Int = 1, of teamID: Team.ID, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws -> UpdateResult {
        try database.collection(.teams).updateOne(
            ["_id": .id(teamID)], ["$inc": ["publicationNumber": .int(count)]], in: transaction)
    }
}
