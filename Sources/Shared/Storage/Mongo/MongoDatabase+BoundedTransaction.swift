import Logging
import Mongo

extension MongoDatabase {
    /// A transaction as the stores run it: given up after three seconds instead of the driver's ten, so that callers
    /// have their 503 within five, and not held up by transactions whose process has died.
    ///
    /// A process that is killed inside a transaction, or cut off from the server, leaves it open: the server ends it
    /// only after `transactionLifetimeLimitSeconds`, by default 60, and until then whoever writes to one of its
    /// documents has a write conflict. For a sprint that would be a minute without votes.
    ///
    /// - Throws: what `body` throws; `MongoError`; `AppError.storeUnavailable` if others were always faster.
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
            throw AppError.storeUnavailable
        }
    }

    /// Why a transaction is not tried again.
    private struct Overdue: Error {}

    private func transaction<Result>(
        until deadline: ContinuousClock.Instant, _ body: (MongoTransaction) throws -> Result
    ) throws -> Result {
        try transaction { transaction in
            guard ContinuousClock.now < deadline else { throw Overdue() }
            return try body(transaction)
        }
    }

    /// Ends transactions of this program in which nothing has happened for half a second: their process is gone, for
    /// the operations of a live one follow each other within a millisecond or so. Should it only have been held up, it
    /// is told so and repeats its transaction, so that ending one too many does no harm.
    ///
    /// Both commands are open to every user for their own sessions (MongoDB manual, `$currentOp` and `killSessions`,
    /// "Access Control"). Without access control a server shows everybody's: hence the filter by the program's name.
    func endAbandonedTransactions() throws {
        let logger = Logger(label: "store.mongodb")
        do {
            let sessions = try abandonedSessions()
            guard !sessions.isEmpty else { return }
            logger.notice("Ending abandoned transactions", metadata: ["mongodb.sessions": "\(sessions.count)"])
            _ = try adminCommand(["killSessions": .array(sessions)])
        } catch let error as MongoError {
            // A service that does not let us (code 13) ends them itself, only later.
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
