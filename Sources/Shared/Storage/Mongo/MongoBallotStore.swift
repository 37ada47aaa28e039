import Commitments
import Domain
import Foundation
import Mongo

/// `BallotStore` on the collections `userSprints`, `spentPapers`, `happiness`, `commitments` and `feedback`; casting is in
/// `MongoBallotStore+Cast`.
struct MongoBallotStore: BallotStore {
    let connection: MongoConnection
    /// Shared by all copies of this value.
    let memory = SprintMemory()
    /// A commit takes 2 to 4 ms, plus some hundredths of a millisecond for each ballot.
    let gathering = Duration.milliseconds(4)

    func existing(among receipts: [Receipt]) async throws -> Set<Receipt> {
        try await connection.run { try $0.existing(among: receipts, in: nil) }
    }

    func close(_ key: Sprint.Key) async throws -> Bool {
        try await close(key) { _, _, _ in true }
    }

    func closeEarly(_ key: Sprint.Key, secret: BallotSecret) async throws -> Bool {
        try await close(key) { record, database, transaction in
            let members = try database.collection(.memberships)
                .find(["team": .id(key.teamID)], projection: ["user": 1], in: transaction)
                .map { try $0.parsed("user", as: User.ID.self) }
            // In slices: each call must return within two seconds.
            var accounts: [(id: User.ID, email: String)] = []
            for first in stride(from: 0, to: members.count, by: Self.sliceLength) {
                let slice = members[first..<min(first + Self.sliceLength, members.count)]
                accounts += try database.collection(.users)
                    .find(["_id": .among(slice.map(BSONValue.id))], projection: ["email": 1], in: transaction)
                    .map { (id: try $0.parsed("_id", as: User.ID.self), email: try $0.text("email")) }
            }
            let mailboxes = MemberReceipts(accounts, in: key, secret: secret)
            let invitation = try database.collection(.invitations)
                .findOne(["team": .id(key.teamID)], projection: ["_id": 1], in: transaction)
            return record.mayCloseEarly(
                members: mailboxes.count,
                receipts: mailboxes.count(
                    among: try database.existing(among: mailboxes.receipts, in: transaction)),
                isAnyoneInvited: invitation != nil)
        }
    }

    func clear(_ key: Sprint.Key, secret: BallotSecret) async throws {
        let sprint = BSONDocument.of(key)
        let isDue = BSONDocument.sprint(key, and: ["closed": true, "cleared": false])
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                let cleared = try database.collection(.happiness)
                    .findOneAndUpdate(isDue, ["$set": ["cleared": true]], returnNew: true, in: transaction)
                guard let record = try cleared.map(SprintRecord.init) else { return }
                let texts = database.collection(.feedback)
                let number = record.state.publishedNumber
                let rewritten = try texts.find(sprint, in: transaction).map(StoredFeedback.init)
                    .rewritten(publishedNumber: number, in: key, secret: secret)
                    .map { StoredFeedback(id: $0.id, snapshot: number, content: .plain($0.text)).document(in: key) }
                try texts.deleteMany(sprint, in: transaction)
                try texts.insertMany(rewritten, in: transaction)
                try Self.removeReceipts(sprint, in: database, transaction)
                var unpublished = sprint
                unpublished.append("snapshot", ["$gt": .int(number)])
                try database.collection(.spentPapers).deleteMany(unpublished, in: transaction)
                try database.collection(.commitments).deleteMany(unpublished, in: transaction)
                var earlier = sprint
                earlier.append("snapshot", ["$lt": .int(number)])
                for name in [MongoCollectionName.spentPapers, .commitments] {
                    try database.collection(name).updateMany(
                        earlier, ["$set": ["snapshot": .int(number)]], in: transaction)
                }
                try MongoRows.countPublications(of: key.teamID, in: database, transaction)
            }
        }
    }

    func feedback(
        of key: Sprint.Key, publishedNumber: Int, secret: BallotSecret, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [
            "team": .id(key.teamID), "start": .date(key.start), "snapshot": ["$lte": .int(publishedNumber)],
        ]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.feedback).find(chosen, sort: ["_id": 1], limit: limit).map(StoredFeedback.init)
        }.compactMap { $0.opened(in: key, secret: secret) }
    }

    func feedback(
        teamID: Team.ID, publishedNumbers: [Date: Int], secret: BallotSecret
    ) async throws -> [Date: [Feedback]] {
        let filter: BSONDocument = [
            "team": .id(teamID), "start": .among(publishedNumbers.keys.map { .date($0) }),
        ]
        return try await connection.run { database in
            var texts: [Date: [Feedback]] = [:]
            try database.collection(.feedback).forEach(filter, sort: ["start": 1, "_id": 1]) { document in
                let key = Sprint.Key(teamID: teamID, start: try document.date("start"))
                let stored = try StoredFeedback(document)
                if stored.snapshot <= publishedNumbers[key.start] ?? 0,
                    let feedback = stored.opened(in: key, secret: secret)
                {
                    texts[key.start, default: []].append(feedback)
                }
                return true
            }
            return texts
        }
    }

    func commitments(of key: Sprint.Key, publishedNumber: Int) async throws -> [Commitment] {
        var filter = BSONDocument.of(key)
        filter.append("snapshot", ["$lte": .int(publishedNumber)])
        let published = filter
        return try await connection.run { database in
            try database.collection(.commitments).find(published, sort: ["_id": 1])
                .map { StoredCommitment.commitment(in: try $0.bytes("_id")) }
        }
    }

    func deleteFeedback(ofSprintsEndedBefore instant: Date) async throws {
        let sprints = try await connection.run { database in
            // A sprint starts before it ends, so these are all, and a few more.
            try database.collection(.feedback).aggregate([
                ["$match": ["start": ["$lt": .date(instant)]]],
                ["$group": ["_id": ["team": "$team", "start": "$start"]]],
                ["$replaceRoot": ["newRoot": "$_id"]],
            ]).map { try Sprint.Key($0) }
        }
        for key in sprints {
            let isOver = BSONDocument.sprint(key, and: ["cleared": true, "end": ["$lt": .date(instant)]])
            try await connection.run { database in
                try database.boundedTransaction { transaction in
                    let sprint = try database.collection(.happiness).findOne(isOver, in: transaction)
                    guard sprint != nil else { return }
                    try database.collection(.feedback).deleteMany(.of(key), in: transaction)
                    try MongoRows.countPublications(of: key.teamID, in: database, transaction)
                }
            }
        }
    }

    /// Rolls back a transaction of `close`.
    private struct Unchanged: Error {}

    private typealias Condition = @Sendable (SprintRecord, MongoDatabase, MongoTransaction) throws -> Bool

    /// - Parameter condition: on the sprint as the transaction sees it.
    private func close(_ key: Sprint.Key, if condition: @escaping Condition) async throws -> Bool {
        let id = BSONDocument.sprint(key)
        return try await connection.run { database in
            // Every process that finds a sprint overdue tries to close it, and one succeeds. The others need no
            // transaction.
            let sprint = try database.collection(.happiness).findOne(id, projection: ["closed": 1])
            guard try sprint?.bool("closed") == false else { return false }
            do {
                try database.boundedTransaction { try Self.close(key, if: condition, in: database, $0) }
                memory.forget(key)
                return true
            } catch is Unchanged {
                return false
            }
        }
    }

    private static func close(
        _ key: Sprint.Key, if condition: Condition, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws {
        let sprints = database.collection(.happiness)
        let id = BSONDocument.sprint(key)
        // The team is written before it is read, so a member who joins concurrently joins either before or after.
        try MongoRows.countPublications(of: key.teamID, in: database, transaction)
        let team = try database.collection(.teams).findOne(["_id": .id(key.teamID)], in: transaction)
        guard let record = try sprints.findOne(id, in: transaction).map(SprintRecord.init), !record.state.isClosed,
            try condition(record, database, transaction)
        else { throw Unchanged() }
        let sprint = BSONDocument.of(key)
        let closed = record.closed(
            members: try team?.int("memberCount") ?? 0,
            spentPapers: try spentPapers(of: sprint, in: database, transaction))
        var fields = closed.state.publicationFields
        fields.append("closed", true)
        fields.appendIfPresent("eligible", closed.eligible.map(BSONValue.int))
        fields.appendIfPresent("sealed", closed.sealed.map(BSONValue.int))
        try database.collection(.ballotKeys).updateOne(sprint, ["$unset": ["privateKey": ""]], in: transaction)
        try sprints.updateOne(id, ["$set": .document(fields)], in: transaction)
        // From now on the sprint's own number is no longer added (`TeamRows.publicationNumber`).
        if record.state.publishedNumber > 0 {
            try MongoRows.countPublications(
                record.state.publishedNumber, of: key.teamID, in: database, transaction)
        }
    }

    /// The number of papers spent up to each snapshot, by its number.
    private static func spentPapers(
        of sprint: BSONDocument, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws -> [Int: Int] {
        let groups = try database.collection(.spentPapers).aggregate(
            [
                ["$match": .document(sprint)],
                ["$group": ["_id": "$snapshot", "papers": ["$sum": 1]]],
            ], in: transaction)
        return try groups.reduce(into: [:]) { $0[try $1.int("_id")] = try $1.int("papers") }
    }

    /// Removes the receipts of a sprint in slices: each call must return within two seconds.
    private static func removeReceipts(
        _ sprint: BSONDocument, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws {
        let receipts = database.collection(.userSprints)
        while true {
            let slice = try receipts.find(sprint, projection: ["_id": 1], limit: sliceLength, in: transaction)
            guard !slice.isEmpty else { return }
            var filter = sprint
            filter.append("_id", .among(slice.compactMap { $0["_id"] }))
            try receipts.deleteMany(filter, in: transaction)
        }
    }

    /// Receipts or users per filter: 40 bytes each, far below a document's limit of 16 MiB.
    private static let sliceLength = 10_000
}
