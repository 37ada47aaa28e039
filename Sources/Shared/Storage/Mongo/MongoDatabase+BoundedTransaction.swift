import Logging
import Mongo

extension MongoDatabase {
    /// A transaction with the stores' limits: it fails after three seconds instead of the driver's ten, so that callers
    /// get their 503 within five, and it is not blocked by transactions of crashed processes.
    ///
    /// A process that is killed inside a transaction, or cut off from the server, leaves it open. The server aborts it
    /// only after `transactionLifetimeLimitSeconds`, by default 60. Until then every write to one of its documents gets
    /// a write conflict. For a sprint that would be a minute without votes.
    ///
    /// - Throws: what `body` throws; `MongoError`; `StorageError.unavailable` if other transactions always won.
    func boundedTransaction<Result>(_ body: (MongoTransaction) throws -> Result) throws -> Result {
        let begun = ContinuousClock.now
        do {
            return try transaction(until: begun + .seconds(1), body)
        } catch is Overdue {
            try endAbandonedTransactions()
        }
        do {
            return try transaction(until: begun + .seconds(3), body)
        } catch is Overdue {
            throw StorageError.unavailable
        }
    }

    /// Stops further attempts of a transaction.
    private struct Overdue: Error {}

    private func transaction<Result>(
        until deadline: ContinuousClock.Instant, _ body: (MongoTransaction) throws -> Result
    ) throws -> Result {
        try transaction { transaction in
            guard ContinuousClock.now < deadline else { throw Overdue() }
            return try body(transaction)
        }
    }

    /// Aborts this program's transactions that have been idle for half a second. Their process is assumed dead, because
    /// the operations of a live one follow each other within about a millisecond. A process that was only delayed gets
    /// an error and retries its transaction, so aborting one too many is harmless.
    ///
    /// Both commands are available to every user for their own sessions (MongoDB manual, `$currentOp` and
    /// `killSessions`, "Access Control"). Without access control a server shows the sessions of all users; hence the
    /// filter by the program's name.
    func endAbandonedTransactions() throws {
        let logger = Logger(label: "store.mongodb")
        do {
            let sessions = try abandonedSessions()
            guard !sessions.isEmpty else { return }
            logger.notice("Ending abandoned transactions", metadata: ["mongodb.sessions": "\(sessions.count)"])
            _ = try adminCommand(["killSessions": .array(sessions)])
        } catch let error as MongoError {
            // A server that denies us this (code 13) aborts them itself, only later.
            guard case .command(let code) = error.kind else { throw error }
            logger.warning("Cannot end abandoned transactions", metadata: ["mongodb.code": "\(code)"])
        }
    }

    private func abandonedSessions() throws -> [BSONValue] {
        let abandoned: BSONValue = [
            "type": "idleSession", "appName": .string(MongoOptions().appName),
            "transaction.timeInactiveMicros": ["$gt": 500_000],
        ]
        let reply = try adminCommand([
            "aggregate": 1,
            "pipeline": [["$currentOp": ["idleSessions": true]], ["$match": abandoned], ["$project": ["lsid.id": 1]]],
            "cursor": [:],
        ])
        let operations = try reply.document("cursor")["firstBatch"]?.arrayValue ?? []
        return operations.compactMap { $0.documentValue?["lsid"] }
    }
}
