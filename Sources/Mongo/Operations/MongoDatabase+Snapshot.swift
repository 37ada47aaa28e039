import CMongoC

extension MongoDatabase {
    /// Lends a session whose reads all see the database as of one moment, however long they take. Pass it to them as
    /// `in:`. It does not support writes.
    ///
    /// The server keeps history for `minSnapshotHistoryWindowInSeconds` (300 by default) and rejects later reads
    /// (MongoDB manual, "Read Concern snapshot").
    /// - Throws: what `body` throws; `MongoError` with code 239 (`SnapshotTooOld`) if a read comes too late.
    package func snapshot<Result>(_ body: (MongoTransaction) throws -> Result) throws -> Result {
        let client = try unsafe lease.client
        let options = unsafe mongoc_session_opts_new()
        defer { unsafe mongoc_session_opts_destroy(options) }
        guard let options = unsafe options else { throw MongoError(.invalidArgument, "No options for a session") }
        unsafe mongoc_session_opts_set_causal_consistency(options, false)
        unsafe mongoc_session_opts_set_snapshot(options, true)
        var error = bson_error_t()
        guard let session = unsafe mongoc_client_start_session(client, options, &error) else {
            throw unsafe MongoError(copying: error)
        }
        defer { unsafe mongoc_client_session_destroy(session) }
        let reads = unsafe MongoTransaction(session: session)
        defer { reads.end() }
        return try body(reads)
    }
}
