import CMongoC

/// A collection, lent with its database: not `Sendable`. A call with `in:` is part of that transaction.
///
/// All writes wait for majority and journal. The driver retries them once if a connection breaks (retryable writes),
/// except `updateMany` and `deleteMany`, where the server cannot distinguish a retry from a new write.
package struct MongoCollection {
    /// The name, without the database.
    package let name: String
    let database: MongoDatabase

    /// Drops the collection with its indexes. Dropping a missing collection succeeds.
    ///
    /// - Throws: `MongoError`.
    package func drop() throws {
        do {
            let command: BSONDocument = ["drop": .string(name)]
            let timeout = database.lease.writeTimeoutMilliseconds
            _ = try database.command(command.withMajority(timeoutMilliseconds: timeout))
        } catch let error as MongoError where error.kind == .command(code: Self.namespaceNotFound) {
            return
        }
    }

    /// Creates an index and waits until it is built. Creating the same index again succeeds.
    ///
    /// - Parameters:
    ///   - keys: fields with 1, -1 or `"text"`.
    ///   - options: further fields of the index, such as `partialFilterExpression`, `expireAfterSeconds`, `collation`.
    /// - Throws: `MongoError`; `duplicateKey` if existing documents violate uniqueness, `command` with 85 or 86 if
    ///   another index has this name or these keys.
    package func createIndex(
        _ keys: BSONDocument, name indexName: String, unique: Bool = false, options: BSONDocument = [:]
    ) throws {
        var index: BSONDocument = ["key": .document(keys), "name": .string(indexName)]
        if unique { index.append("unique", true) }
        for (key, value) in options { index.append(key, value) }
        let command: BSONDocument = ["createIndexes": .string(name), "indexes": [.document(index)]]
        let timeout = database.lease.writeTimeoutMilliseconds
        _ = try database.command(command.withMajority(timeoutMilliseconds: timeout))
    }

    private static let namespaceNotFound = 26

    /// Lends the driver's handle and the call's options, including the transaction's session.
    func withHandle<Result>(
        options: BSONDocument, in transaction: MongoTransaction?,
        _ body: (_ collection: OpaquePointer, _ options: OpaquePointer) throws -> Result
    ) throws -> Result {
        let client = try unsafe database.lease.client
        guard let handle = unsafe mongoc_client_get_collection(client, database.name, name) else {
            throw MongoError(.invalidArgument, "No handle for a collection")
        }
        defer { unsafe mongoc_collection_destroy(handle) }
        do {
            return try unsafe options.withBSON { options in
                try unsafe Self.append(transaction, to: options)
                return try unsafe body(handle, options)
            }
        } catch let error as MongoError {
            transaction?.record(error)
            throw error
        }
    }

    private static func append(_ transaction: MongoTransaction?, to options: OpaquePointer) throws {
        guard let transaction else { return }
        var error = bson_error_t()
        guard try unsafe mongoc_client_session_append(transaction.session, options, &error) else {
            throw unsafe MongoError(copying: error)
        }
    }

    /// Performs a call that fills a reply and an error, and returns the reply if it succeeded.
    func reply(
        _ call: (_ reply: OpaquePointer, _ error: UnsafeMutablePointer<bson_error_t>) throws -> Bool
    ) throws -> BSONDocument {
        try unsafe withReply { reply in
            var error = bson_error_t()
            guard try unsafe call(reply, &error) else { throw unsafe MongoError(copying: error, reply: reply) }
            return try unsafe BSONDocument(copying: reply)
        }
    }
}
