import Mongo

extension MongoDatabase {
    /// Sessions that are ended in one transaction at most: it must be done long before `boundedTransaction` gives up.
    private static let sessionsPerTransaction = 500

    /// Ends the sessions that match, with the devices that were registered in them, as part of a transaction.
    ///
    /// Every end of a session goes through here: a device that stayed would get messages for somebody who logged out.
    /// Registering one writes to its session, so that it comes before the end, or is refused.
    func endSessions(_ filter: BSONDocument, in transaction: MongoTransaction) throws {
        let ids = try collection(.sessions).find(filter, projection: ["_id": 1], in: transaction)
            .compactMap { $0["_id"] }
        guard !ids.isEmpty else { return }
        try collection(.sessions).deleteMany(["_id": .among(ids)], in: transaction)
        try collection(.devices).deleteMany(["session": .among(ids)], in: transaction)
    }

    /// The same in transactions of its own, however many match.
    func endSessions(_ filter: BSONDocument) throws {
        while true {
            let ids = try collection(.sessions)
                .find(filter, projection: ["_id": 1], limit: Self.sessionsPerTransaction)
                .compactMap { $0["_id"] }
            guard !ids.isEmpty else { return }
            // With the filter once more: one that was renewed meanwhile goes on.
            let matching: BSONDocument = ["$and": [.document(filter), .document(["_id": .among(ids)])]]
            try boundedTransaction { try endSessions(matching, in: $0) }
        }
    }
}
