import Mongo

extension MongoDatabase {
    /// Maximum number of sessions ended in one transaction, which must finish long before `boundedTransaction` times
    /// out.
    private static let sessionsPerTransaction = 500

    /// Ends the matching sessions, with the devices registered in them, as part of a transaction.
    ///
    /// All code that ends sessions calls this: a remaining device would get messages for a user who logged out.
    /// Registering a device writes to its session, so it either precedes the end or is rejected.
    func endSessions(_ filter: BSONDocument, in transaction: MongoTransaction) throws {
        let ids = try collection(.sessions).find(filter, projection: ["_id": 1], in: transaction)
            .compactMap { $0["_id"] }
        guard !ids.isEmpty else { return }
        try collection(.sessions).deleteMany(["_id": .among(ids)], in: transaction)
        try collection(.devices).deleteMany(["session": .among(ids)], in: transaction)
    }

    /// Like the above in transactions of its own, however many sessions match.
    func endSessions(_ filter: BSONDocument) throws {
        while true {
            let ids = try collection(.sessions)
                .find(filter, projection: ["_id": 1], limit: Self.sessionsPerTransaction)
                .compactMap { $0["_id"] }
            guard !ids.isEmpty else { return }
            // Applies the filter again: a session renewed in the meantime stays.
            let matching: BSONDocument = ["$and": [.document(filter), .document(["_id": .among(ids)])]]
            try boundedTransaction { try endSessions(matching, in: $0) }
        }
    }
}
