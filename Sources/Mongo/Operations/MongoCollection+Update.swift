import CMongoC

/// The outcome of an update.
package struct UpdateResult: Sendable, Hashable {
    /// Number of documents that matched the filter, excluding an upserted one.
    package var matched: Int
    /// Number of documents that actually changed.
    package var modified: Int
    /// Whether a document was inserted because none matched.
    package var upserted: Bool

    /// A result, for tests and fakes.
    package init(matched: Int, modified: Int, upserted: Bool) {
        self.matched = matched
        self.modified = modified
        self.upserted = upserted
    }

    init(updateReply reply: BSONDocument) {
        self.init(
            matched: reply["matchedCount"]?.intValue ?? 0, modified: reply["modifiedCount"]?.intValue ?? 0,
            upserted: reply["upsertedId"] != nil)
    }
}

extension MongoCollection {
    /// Updates at most one document.
    ///
    /// - Parameters:
    ///   - update: operators such as `$set`, or `BSONDocument.pipeline`.
    ///   - upsert: insert a document built from filter and update if none matches.
    ///   - options: further options of the driver, such as `arrayFilters`, `collation`, `hint`.
    /// - Throws: `MongoError`; `duplicateKey` also if two upserts of the same key race: retry in that case.
    @discardableResult
    package func updateOne(
        _ filter: BSONDocument, _ update: BSONDocument, upsert: Bool = false, options: BSONDocument = [:],
        in transaction: MongoTransaction? = nil
    ) throws -> UpdateResult {
        try unsafe change(filter, update, upsert: upsert, options: options, in: transaction) {
            unsafe mongoc_collection_update_one($0, $1, $2, $3, $4, $5)
        }
    }

    /// Updates all matching documents; parameters as for `updateOne`.
    ///
    /// - Throws: `MongoError`.
    @discardableResult
    package func updateMany(
        _ filter: BSONDocument, _ update: BSONDocument, upsert: Bool = false, options: BSONDocument = [:],
        in transaction: MongoTransaction? = nil
    ) throws -> UpdateResult {
        try unsafe change(filter, update, upsert: upsert, options: options, in: transaction) {
            unsafe mongoc_collection_update_many($0, $1, $2, $3, $4, $5)
        }
    }

    /// Replaces at most one document and keeps its `_id`.
    ///
    /// - Throws: `MongoError`.
    @discardableResult
    package func replaceOne(
        _ filter: BSONDocument, _ replacement: BSONDocument, upsert: Bool = false,
        in transaction: MongoTransaction? = nil
    ) throws -> UpdateResult {
        try unsafe change(filter, replacement, upsert: upsert, options: [:], in: transaction) {
            unsafe mongoc_collection_replace_one($0, $1, $2, $3, $4, $5)
        }
    }

    /// The common signature of the driver's three functions: collection, filter, update, options, reply, error.
    private typealias Change = (
        OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, UnsafeMutablePointer<bson_error_t>
    ) -> Bool

    private func change(
        _ filter: BSONDocument, _ update: BSONDocument, upsert: Bool, options: BSONDocument,
        in transaction: MongoTransaction?, _ call: Change
    ) throws -> UpdateResult {
        var options = options
        if upsert { options.append("upsert", true) }
        let result = try unsafe withHandle(options: options, in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                try unsafe update.withBSON { update in
                    try unsafe reply { reply, error in
                        unsafe call(collection, filter, update, options, reply, error)
                    }
                }
            }
        }
        return UpdateResult(updateReply: result)
    }
}
