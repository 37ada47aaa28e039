import Domain
import Mongo

extension MongoDatabase {
    /// Maximum number of sessions ended in one transaction, which must finish long before `boundedTransaction` times
    /// out.
    private static let sessionsPerTransaction = 500

    /// Ends the matching sessions, with the devices registered in them, as part of a transaction.
    ///
    /// All code that ends sessions calls this: a remaining device would get messages for a user who logged out.
    /// Registering a device writes to its session, so it either precedes the end or is rejected.
    func endSessions(_ filter: BSONDocument, in transaction: MongoTransaction?) throws {
        let ending = try collection(.sessions).find(filter, projection: ["_id": 1, "user": 1], in: transaction)
        let ids = ending.compactMap { $0["_id"] }
        guard !ids.isEmpty else { return }
        try collection(.sessions).deleteMany(["_id": .among(ids)], in: transaction)
        try collection(.devices).deleteMany(["session": .among(ids)], in: transaction)
        try countRevocations(of: ending.map { try $0.parsed("user") }, in: transaction)
    }

    /// Counts that something was taken away from these users (`SessionRows.revocations`), as part of the transaction
    /// that does so.
    func countRevocations(of userIDs: [User.ID], in transaction: MongoTransaction?) throws {
        let slots = Set(userIDs.map { RevocationSlot(of: $0).description })
        let count: BSONDocument = ["$inc": ["number": 1]]
        let counted = try collection(.revocations).updateMany(
            ["_id": .among(slots.map(BSONValue.string))], count, in: transaction
        ).matched
        guard counted < slots.count else { return }
        // Some were deleted by hand. Counting the others twice does no harm.
        for slot in slots {
            try collection(.revocations).updateOne(["_id": .string(slot)], count, upsert: true, in: transaction)
        }
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
