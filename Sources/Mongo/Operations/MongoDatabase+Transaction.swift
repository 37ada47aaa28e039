import CMongoC

extension MongoDatabase {
    /// Runs `body` in a transaction and commits it: majority and journal, snapshot reads, on the primary.
    ///
    /// If the server calls the failure transient (another transaction was faster, the primary changed), the whole
    /// transaction is retried. If only the reply to the commit was lost, only the commit is retried. Both together make
    /// at most 500 attempts and take no longer than `MongoOptions.transactionTimeLimitMilliseconds`, with random pauses
    /// that start below 1 ms and double up to 50 ms.
    ///
    /// `body` may therefore run several times: it must reset its own variables on each run and have no side effects
    /// outside the database. An error thrown by `body` rolls everything back. Any failed call, including a duplicate
    /// key, ends the transaction; its error is thrown even if `body` catches it.
    ///
    /// - Throws: what `body` throws; `MongoError` of kind `transient` if all attempts failed; any kind with
    ///   `isCommitUnknown` if the outcome of the last commit is unknown.
    package func transaction<Result>(_ body: (MongoTransaction) throws -> Result) throws -> Result {
        try unsafe withSession { session in
            var retry = TransactionRetry(timeLimit: lease.transactionTimeLimit)
            while true {
                do {
                    let result = try unsafe attempt(body, in: session)
                    try unsafe commit(session, &retry)
                    return result
                } catch let error as RepeatableError {
                    guard retry.continues(after: error.cause) else { throw error.thrown }
                }
            }
        }
    }

    /// A failure after which the whole transaction may be retried.
    private struct RepeatableError: Error {
        let cause: MongoError
        /// The error for the caller if there is no further attempt: `body` may have thrown an error of its own.
        let thrown: any Error
    }

    private func attempt<Result>(
        _ body: (MongoTransaction) throws -> Result, in session: OpaquePointer
    ) throws -> Result {
        var error = bson_error_t()
        guard unsafe mongoc_client_session_start_transaction(session, nil, &error) else {
            throw unsafe MongoError(copying: error)
        }
        let transaction = unsafe MongoTransaction(session: session)
        defer { transaction.end() }
        do {
            let result = try body(transaction)
            // The server has dropped the transaction. A commit would fail with "no such transaction", which is
            // transient, so the same error would repeat until the time limit.
            if let failure = transaction.failure { throw failure }
            return result
        } catch {
            // The result of abort is irrelevant: the server drops the transaction anyway, and `error` is the actual
            // reason.
            unsafe mongoc_client_session_abort_transaction(session, nil)
            let cause = transaction.failure ?? error as? MongoError
            guard let cause, cause.hasLabel(MongoError.transientTransaction) else { throw error }
            throw RepeatableError(cause: cause, thrown: error)
        }
    }

    private func commit(_ session: OpaquePointer, _ retry: inout TransactionRetry) throws {
        while true {
            let failure: MongoError? = unsafe withReply { reply in
                var error = bson_error_t()
                if unsafe mongoc_client_session_commit_transaction(session, reply, &error) { return nil }
                return unsafe MongoError(copying: error, reply: reply)
            }
            guard let failure else { return }
            if failure.hasLabel(MongoError.transientTransaction) {
                throw RepeatableError(cause: failure, thrown: failure)
            }
            guard failure.isCommitUnknown, retry.continues(after: failure) else { throw failure }
        }
    }

    private func withSession<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        let client = try unsafe lease.client
        let options = unsafe mongoc_session_opts_new()
        defer { unsafe mongoc_session_opts_destroy(options) }
        let defaults = unsafe mongoc_transaction_opts_new()
        defer { unsafe mongoc_transaction_opts_destroy(defaults) }
        let snapshot = unsafe mongoc_read_concern_new()
        defer { unsafe mongoc_read_concern_destroy(snapshot) }
        let primary = unsafe mongoc_read_prefs_new(MONGOC_READ_PRIMARY)
        defer { unsafe mongoc_read_prefs_destroy(primary) }
        guard let options = unsafe options, let defaults = unsafe defaults, let snapshot = unsafe snapshot,
            let primary = unsafe primary
        else { throw MongoError(.invalidArgument, "No options for a session") }
        unsafe mongoc_read_concern_set_level(snapshot, MONGOC_READ_CONCERN_LEVEL_SNAPSHOT)
        unsafe mongoc_transaction_opts_set_read_concern(defaults, snapshot)
        unsafe mongoc_transaction_opts_set_read_prefs(defaults, primary)
        try unsafe WriteConcern.withMajority(timeoutMilliseconds: lease.writeTimeoutMilliseconds) { concern in
            unsafe mongoc_transaction_opts_set_write_concern(defaults, concern)
        }
        unsafe mongoc_session_opts_set_default_transaction_opts(options, defaults)
        var error = bson_error_t()
        guard let session = unsafe mongoc_client_start_session(client, options, &error) else {
            throw unsafe MongoError(copying: error)
        }
        defer { unsafe mongoc_client_session_destroy(session) }
        return try unsafe body(session)
    }
}
