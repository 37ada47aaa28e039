import Domain
import Mongo

/// Checks whether the database is sound.
extension MongoDatabase {
    /// Sprints that are not cleared and whose numbers of ballots and receipts differ.
    func receiptMismatches() throws -> [ReceiptMismatch] {
        try mapMismatches { sprint, _, transaction in
            ReceiptMismatch(
                team: try text("name", of: ["_id": .id(sprint.teamID)], in: .teams, transaction),
                sprint: try text("label", of: .sprint(sprint), in: .happiness, transaction))
        }
    }

    /// Makes the numbers of receipts and ballots equal: adds random receipts where some are missing, and marks surplus
    /// ones as not representing a ballot.
    func matchReceipts() throws {
        let receipts = collection(.userSprints)
        _ = try mapMismatches { sprint, missing, transaction in
            if missing > 0 {
                try receipts.insertMany(
                    (0..<missing).map { _ in
                        [
                            "_id": .binary(SecureBytes.random(count: 32)), "team": .id(sprint.teamID),
                            "start": .date(sprint.start),
                        ]
                    }, in: transaction)
            } else {
                let surplus = try receipts.find(
                    .among([sprint], and: Self.isOfPlainBallot), projection: ["_id": 1], limit: -missing,
                    in: transaction)
                try receipts.updateMany(
                    .among([sprint], and: ["_id": .among(surplus.compactMap { $0["_id"] })]),
                    ["$set": ["extra": true]], in: transaction)
            }
        }
    }

    private static let isOfPlainBallot: BSONDocument = ["extra": ["$exists": false], "paper": ["$exists": false]]

    /// Ballots of the sprints in one transaction, which must end within a call's time limit. A team with more is alone.
    private static let batchSize = 10_000

    /// Compares the numbers of plain ballots and of their receipts, in one transaction for a batch of sprints.
    /// - Parameter transform: gets a sprint, its number of ballots minus its number of receipts, which is not zero, and
    ///   the transaction that has read both. If that is repeated, only the last result counts.
    private func mapMismatches<Value>(
        _ transform: (Sprint.Key, Int, MongoTransaction) throws -> Value
    ) throws -> [Value] {
        let sprints = try collection(.happiness).find(
            ["cleared": false], projection: ["team": 1, "start": 1, "count": 1])
        // All of a team together: the query for a batch would also find a huge sprint that one of its teams has
        // outside of it, if another team has a sprint with the same start.
        let teams = Dictionary(grouping: try sprints.map { (key: try Sprint.Key($0), count: try $0.int("count")) }) {
            $0.key.teamID
        }
        var batches: [Set<Sprint.Key>] = [[]]
        var size = 0
        for sprints in teams.values {
            let own = sprints.reduce(0) { $0 + $1.count + 1 }
            size += own
            if size > Self.batchSize {
                batches.append([])
                size = own
            }
            batches[batches.count - 1].formUnion(sprints.map(\.key))
        }
        return try batches.filter { !$0.isEmpty }.flatMap { batch in
            try boundedTransaction { transaction in
                try mismatches(among: batch, in: transaction).map { try transform($0.sprint, $0.missing, transaction) }
            }
        }
    }

    /// The number of plain ballots minus their receipts of each of the sprints where it is not zero.
    private func mismatches(
        among sprints: Set<Sprint.Key>, in transaction: MongoTransaction
    ) throws -> [(sprint: Sprint.Key, missing: Int)] {
        let counted = try collection(.userSprints).aggregate(
            [
                ["$match": .document(.among(sprints, and: Self.isOfPlainBallot))],
                ["$group": ["_id": ["team": "$team", "start": "$start"], "receipts": ["$sum": 1]]],
            ], in: transaction)
        var receipts: [Sprint.Key: Int] = [:]
        for group in counted {
            receipts[try Sprint.Key(group.document("_id"))] = try group.int("receipts")
        }
        let stored = try collection(.happiness).find(
            .among(sprints, and: ["cleared": false]), projection: ["team": 1, "start": 1, "count": 1, "papers": 1],
            in: transaction)
        return try stored.compactMap { document in
            let key = try Sprint.Key(document)
            guard sprints.contains(key) else { return nil }
            let missing = try document.int("count") - PaperCounts(document).spent - (receipts[key] ?? 0)
            return missing == 0 ? nil : (key, missing)
        }
    }

    private func text(
        _ field: String, of filter: BSONDocument, in name: MongoCollectionName, _ transaction: MongoTransaction
    ) throws -> String {
        try collection(name).findOne(filter, projection: [field: 1], in: transaction)?.text(field) ?? "?"
    }
}
