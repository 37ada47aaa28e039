import Foundation
import Mongo

/// `BallotStore` on the collections `userSprints`, `happiness` and `feedback`; casting is in `MongoBallotStore+Cast`.
struct MongoBallotStore: BallotStore {
    let connection: MongoConnection
    /// Shared by all copies.
    let memory = SprintMemory()
    /// A commit takes 2 to 4 ms, of which each of its ballots adds some hundredths.
    let gathering = Duration.milliseconds(4)

    func contains(_ receipt: Receipt) async throws -> Bool {
        try await connection.run { try $0.collection(.userSprints).findOne(["_id": .binary(receipt.bytes)]) != nil }
    }

    func count(of receipts: [Receipt]) async throws -> Int {
        let slices = Self.slices(of: Array(Set(receipts)))
        return try await connection.run { database in
            try slices.reduce(0) { try $0 + database.collection(.userSprints).count(["_id": $1]) }
        }
    }

    func existing(among receipts: [Receipt]) async throws -> Set<Receipt> {
        let slices = Self.slices(of: Array(Set(receipts)))
        return try await connection.run { database in
            try slices.reduce(into: []) { existing, slice in
                let found = try database.collection(.userSprints).find(["_id": slice], projection: ["_id": 1])
                    .map { Receipt(stored: try $0.bytes("_id")) }
                existing.formUnion(found)
            }
        }
    }

    func remove(_ receipts: [Receipt]) async throws {
        let slices = Self.slices(of: receipts)
        try await connection.run { database in
            for slice in slices { try database.collection(.userSprints).deleteMany(["_id": slice]) }
        }
    }

    func close(_ key: Sprint.Key, ifMemberCountIs memberCount: Int?) async throws -> Bool {
        let id: BSONDocument = ["_id": .string(key.documentID)]
        return try await connection.run { database in
            // Every process that finds a sprint overdue tries to close it, and one succeeds: no transaction for others.
            let sprint = try database.collection(.happiness).findOne(id, projection: ["closed": 1])
            guard try sprint?.bool("closed") == false else { return false }
            do {
                try database.boundedTransaction { transaction in
                    try Self.close(key, ifMemberCountIs: memberCount, in: database, transaction)
                }
                memory.forget(key)
                return true
            } catch is Unchanged {
                return false
            }
        }
    }

    func feedback(
        of key: Sprint.Key, publishedNumber: Int, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [
            "team": .id(key.teamID), "start": .date(key.start), "snapshot": ["$lte": .int(publishedNumber)],
        ]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.feedback).find(chosen, sort: ["_id": 1], limit: limit).map(Feedback.init)
        }
    }

    func feedback(teamID: Team.ID, publishedNumbers: [Date: Int]) async throws -> [Date: [Feedback]] {
        let filter: BSONDocument = [
            "team": .id(teamID), "start": .among(publishedNumbers.keys.map { .date($0) }),
        ]
        return try await connection.run { database in
            var texts: [Date: [Feedback]] = [:]
            try database.collection(.feedback).forEach(filter, sort: ["start": 1, "_id": 1]) { document in
                let start = try document.date("start")
                if try document.int("snapshot") <= publishedNumbers[start] ?? 0 {
                    texts[start, default: []].append(try Feedback(document))
                }
                return true
            }
            return texts
        }
    }

    func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) async throws {
        // The first snapshot releases them: visible as soon as anything of the sprint is.
        let documents = texts.map { Feedback.document(text: $0.text, sprint: $0.key, snapshot: 1) }
        try await connection.run { database in
            try database.boundedTransaction { try database.collection(.feedback).insertMany(documents, in: $0) }
        }
    }

    /// Why a transaction of `close` is rolled back.
    private struct Unchanged: Error {}

    private static func close(
        _ key: Sprint.Key, ifMemberCountIs memberCount: Int?, in database: MongoDatabase,
        _ transaction: MongoTransaction
    ) throws {
        let sprints = database.collection(.happiness)
        let id: BSONDocument = ["_id": .string(key.documentID)]
        // The team is written before it is read, so that somebody who joins at the same time joins before or after.
        try MongoSprintStore.countPublications(of: key.teamID, in: database, transaction)
        let team = try database.collection(.teams).findOne(["_id": .id(key.teamID)], in: transaction)
        let members = try team?.int("memberCount") ?? 0
        guard let record = try sprints.findOne(id, in: transaction).map(SprintRecord.init), !record.state.isClosed
        else { throw Unchanged() }
        if let memberCount {
            guard memberCount == members, record.wouldPublishEverything else { throw Unchanged() }
        }
        var state = record.state
        state.close(policy: record.sprint.policy, threshold: record.sprint.threshold)
        var fields = state.publicationFields
        fields.append("closed", true)
        fields.append("eligible", .int(max(members, state.current.count)))
        try sprints.updateOne(id, ["$set": .document(fields)], in: transaction)
        // From now on the sprint's own number is not added any more (`MongoTeamStore.publicationNumber`).
        if record.state.publishedNumber > 0 {
            try MongoSprintStore.countPublications(
                record.state.publishedNumber, of: key.teamID, in: database, transaction)
        }
    }

    /// Receipts a filter names: 40 bytes each, far below the 16 MiB of a document.
    private static let sliceLength = 10_000

    private static func slices(of receipts: [Receipt]) -> [BSONValue] {
        stride(from: 0, to: receipts.count, by: sliceLength).map { first in
            .among(receipts[first..<min(first + sliceLength, receipts.count)].map { .binary($0.bytes) })
        }
    }
}
