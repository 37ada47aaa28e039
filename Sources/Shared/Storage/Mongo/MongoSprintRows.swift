import Domain
import Foundation
import Mongo

extension MongoRows: SprintRows {
    func openSprints(of teamIDs: Set<Team.ID>) throws -> [SprintRecord] {
        try collection(.happiness)
            .find(["team": .among(teamIDs.map(BSONValue.id)), "closed": false], in: transaction)
            .map(SprintRecord.init)
    }

    func sprintCount(of teamID: Team.ID) throws -> Int {
        try collection(.happiness).count(["team": .id(teamID)], in: transaction)
    }

    func sprint(of teamID: Team.ID, endingAfter instant: Date) throws -> Sprint? {
        try collection(.happiness)
            .findOne(["team": .id(teamID), "end": ["$gt": .date(instant)]], sort: ["start": 1], in: transaction)
            .map(Sprint.init)
    }

    func sprint(of teamID: Team.ID, labelled label: SprintLabel) throws -> SprintRecord? {
        try collection(.happiness)
            .findOne(["team": .id(teamID), "label": .string(label.description)], in: transaction)
            .map(SprintRecord.init)
    }

    func sprints(of teamID: Team.ID, startingAfter instant: Date) throws -> [SprintRecord] {
        try collection(.happiness)
            .find(["team": .id(teamID), "start": ["$gt": .date(instant)]], sort: ["start": 1], in: transaction)
            .map(SprintRecord.init)
    }

    func hasBallotKey(_ key: Sprint.Key) throws -> Bool {
        try collection(.ballotKeys).findOne(.of(key), projection: ["_id": 1], in: transaction) != nil
    }

    func labels(of teamID: Team.ID, like label: SprintLabel) throws -> Set<SprintLabel> {
        let labels = try collection(.happiness).find(
            ["team": .id(teamID), "ordinal": .int(label.ordinal)], projection: ["label": 1], in: transaction)
        return Set(try labels.map { try $0.parsed("label") })
    }

    func sprint(_ key: Sprint.Key) throws -> SprintRecord? {
        try sprint(.sprint(key))
    }

    func sprint(of teamID: Team.ID, endingAt instant: Date) throws -> SprintRecord? {
        // Sprints of a team do not overlap, so it can only be the last one that starts before the instant.
        let last = try sprint(["team": .id(teamID), "start": ["$lt": .date(instant)]], sort: ["start": -1])
        return last?.sprint.end == instant ? last : nil
    }

    func latestSprint(of teamID: Team.ID) throws -> SprintRecord? {
        try sprint(["team": .id(teamID)], sort: ["start": -1])
    }

    func sprints(of teamID: Team.ID, matching filter: SprintFilter) throws -> [SprintRecord] {
        var query: BSONDocument = ["team": .id(teamID)]
        query.appendIfPresent("ordinal", Self.ordinals(of: filter))
        let latestFirst = try collection(.happiness)
            .find(query, sort: ["start": -1], limit: SprintFilter.maximumCount, options: Self.oneBatch, in: transaction)
            .map(SprintRecord.init)
        return latestFirst.reversed()
    }

    func sprintKeys(of teamID: Team.ID) throws -> [Sprint.Key] {
        try collection(.happiness)
            .find(["team": .id(teamID)], sort: ["start": 1], projection: ["_id": 0, "start": 1], in: transaction)
            .map { Sprint.Key(teamID: teamID, start: try $0.date("start")) }
    }

    func unfinishedSprints(of teamID: Team.ID?, at now: Date, limit: Int) throws -> [SprintRecord] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = ["cleared": false, "$or": [["closes": ["$lte": .date(now)]], ["closed": true]]]
        filter.appendIfPresent("team", teamID.map { .id($0) })
        return try collection(.happiness).find(filter, sort: ["closes": 1], limit: limit, in: transaction).map(
            SprintRecord.init)
    }

    func unclearedSprints(after: Sprint.Key?, limit: Int) throws -> [Sprint.Key] {
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
        return try collection(.happiness)
            .find(
                filter, sort: ["team": 1, "start": 1], projection: ["team": 1, "start": 1], limit: limit,
                in: transaction
            )
            .map { try Sprint.Key($0) }
    }

    private func sprint(_ filter: BSONDocument, sort: BSONDocument? = nil) throws -> SprintRecord? {
        try collection(.happiness).findOne(filter, sort: sort, in: transaction).map(SprintRecord.init)
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

    /// Increments the team's `publicationNumber`: this transaction changes what members may see.
    @discardableResult
    static func countPublications(
        _ count: Int = 1, of teamID: Team.ID, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws -> UpdateResult {
        try database.collection(.teams).updateOne(
            ["_id": .id(teamID)], ["$inc": ["publicationNumber": .int(count)]], in: transaction)
    }
}

extension MongoRows: SprintChanges {
    func insert(_ records: [SprintRecord]) throws {
        try collection(.happiness).insertMany(records.map(\.document), in: transaction)
    }

    func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) throws {
        // The first snapshot releases them: they are visible as soon as anything of the sprint is. Stored in order of
        // their ids, like texts of a cleared sprint.
        let stored = texts.map { (key: $0.key, id: Feedback.ID.random(), text: $0.text.text) }.sorted { $0.id < $1.id }
        try collection(.feedback).insertMany(
            stored.map { key, id, text in
                StoredFeedback(id: id, snapshot: 1, content: .plain(text)).document(in: key)
            }, in: transaction)
    }

    func deleteImportedSprints(of teamID: Team.ID) throws -> Int {
        try collection(.happiness).deleteMany(
            ["team": .id(teamID), "imported": true, "cleared": true], in: transaction)
    }

    func setThreshold(_ threshold: Int, _ raise: ThresholdRaise, of key: Sprint.Key) throws {
        try collection(.happiness).updateOne(
            .sprint(key),
            ["$set": ["threshold": .int(threshold), "raise": .document(raise.document)]], in: transaction)
    }

    func reopen(_ key: Sprint.Key, as label: SprintLabel) throws {
        try collection(.happiness).updateOne(
            .sprint(key),
            [
                "$set": ["closed": false, "cleared": false, "label": .string(label.description)],
                "$unset": ["eligible": "", "sealed": ""],
            ], in: transaction)
        try deleteKeyAndResults(of: key)
    }

    func deleteEmptySprint(_ key: Sprint.Key) throws {
        try collection(.happiness).deleteOne(.sprint(key), in: transaction)
        try deleteKeyAndResults(of: key)
    }

    private func deleteKeyAndResults(of key: Sprint.Key) throws {
        var destroyed = BSONDocument.of(key)
        destroyed.append("privateKey", ["$exists": false])
        try collection(.ballotKeys).deleteMany(destroyed, in: transaction)
        let experiments = try collection(.reminderExperiments)
            .find(["team": .id(key.teamID)], projection: ["_id": 1], in: transaction)
            .compactMap { $0["_id"] }
        guard !experiments.isEmpty else { return }
        try collection(.experimentSprints).deleteMany(
            ["experiment": .among(experiments), "start": .date(key.start)], in: transaction)
    }

    func countJoined(in teamID: Team.ID) throws {
        try collection(.happiness).updateMany(
            ["team": .id(teamID), "closed": false], ["$inc": ["joined": 1]], in: transaction)
    }
}
