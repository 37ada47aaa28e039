import Mongo

/// Checks whether the database is sound.
extension MongoDatabase {
    /// Sprints that are not cleared and whose numbers of ballots and receipts differ, both read in one transaction.
    func receiptMismatches() throws -> [ReceiptMismatch] {
        try boundedTransaction { transaction in
            try mismatches(in: transaction).map { sprint, _ in
                ReceiptMismatch(
                    team: try text("name", of: ["_id": .id(sprint.teamID)], in: .teams, transaction),
                    sprint: try text("label", of: .sprint(sprint), in: .happiness, transaction))
            }
        }
    }

    /// Makes the numbers of receipts and ballots equal: adds random receipts where some are missing, and marks surplus
    /// ones as not representing a ballot.
    func matchReceipts() throws {
        try boundedTransaction { transaction in
            let receipts = collection(.userSprints)
            for (sprint, missing) in try mismatches(in: transaction) {
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
    }

    private static let isOfPlainBallot: BSONDocument = ["extra": ["$exists": false], "paper": ["$exists": false]]

    /// The number of plain ballots minus their receipts of each sprint where it is not zero.
    private func mismatches(in transaction: MongoTransaction) throws -> [(sprint: Sprint.Key, missing: Int)] {
        let counted = try collection(.userSprints).aggregate(
            [
                ["$match": .document(Self.isOfPlainBallot)],
                ["$group": ["_id": ["team": "$team", "start": "$start"], "receipts": ["$sum": 1]]],
            ], in: transaction)
        var receipts: [Sprint.Key: Int] = [:]
        for group in counted {
            let id = try group.document("_id")
            receipts[Sprint.Key(teamID: try id.parsed("team"), start: try id.date("start"))] = try group.int("receipts")
        }
        let sprints = try collection(.happiness).find(
            ["cleared": false], projection: ["team": 1, "start": 1, "count": 1, "papers": 1], in: transaction)
        return try sprints.compactMap { document in
            let key = Sprint.Key(teamID: try document.parsed("team"), start: try document.date("start"))
            let papers = PaperCounts(document)
            let missing = try document.int("count") - papers.spent - (receipts[key] ?? 0)
            return missing == 0 ? nil : (key, missing)
        }
    }

    private func text(
        _ field: String, of filter: BSONDocument, in name: MongoCollectionName, _ transaction: MongoTransaction
    ) throws -> String {
        try collection(name).findOne(filter, projection: [field: 1], in: transaction)?.text(field) ?? "?"
    }
}
