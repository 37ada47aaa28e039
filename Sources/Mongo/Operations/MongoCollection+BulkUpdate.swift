import CMongoC

/// One update of a bulk call.
package struct BulkUpdate: Sendable, Hashable {
    /// Selects the documents to update.
    package var filter: BSONDocument
    /// Update operators such as `$inc`.
    package var update: BSONDocument
    /// Whether to insert a document if none matches.
    package var upsert: Bool
    /// Whether to update all matching documents instead of at most one. The driver then cannot retry the bulk call.
    package var many: Bool

    /// By default, updates at most one document.
    package init(_ filter: BSONDocument, _ update: BSONDocument, upsert: Bool = false, many: Bool = false) {
        self.filter = filter
        self.update = update
        self.upsert = upsert
        self.many = many
    }
}

extension MongoCollection {
    /// Performs many updates in as few messages as possible: much faster than one by one. An empty array is valid.
    ///
    /// - Parameter ordered: stop at the first failure; otherwise attempt all.
    /// - Returns: totals over all updates; `upserted` if any of them inserted a document.
    /// - Throws: `MongoError` if any failed, with `failedIndexes`.
    @discardableResult
    package func bulkUpdate(
        _ updates: [BulkUpdate], ordered: Bool = true, in transaction: MongoTransaction? = nil
    ) throws -> UpdateResult {
        guard !updates.isEmpty else { return UpdateResult(matched: 0, modified: 0, upserted: false) }
        let result = try unsafe withHandle(options: ["ordered": .bool(ordered)], in: transaction) {
            collection, options in
            guard let bulk = unsafe mongoc_collection_create_bulk_operation_with_opts(collection, options) else {
                throw MongoError(.invalidArgument, "No handle for a bulk operation")
            }
            defer { unsafe mongoc_bulk_operation_destroy(bulk) }
            for update in updates { try unsafe add(update, to: bulk) }
            return try unsafe reply { reply, error in
                unsafe mongoc_bulk_operation_execute(bulk, reply, error) != 0
            }
        }
        return UpdateResult(
            matched: result["nMatched"]?.intValue ?? 0, modified: result["nModified"]?.intValue ?? 0,
            upserted: (result["nUpserted"]?.intValue ?? 0) > 0)
    }

    private func add(_ update: BulkUpdate, to bulk: OpaquePointer) throws {
        let options: BSONDocument? = update.upsert ? ["upsert": true] : nil
        try unsafe update.filter.withBSON { filter in
            try unsafe update.update.withBSON { document in
                try unsafe options.withBSON { options in
                    var error = bson_error_t()
                    let added =
                        update.many
                        ? unsafe mongoc_bulk_operation_update_many_with_opts(bulk, filter, document, options, &error)
                        : unsafe mongoc_bulk_operation_update_one_with_opts(bulk, filter, document, options, &error)
                    guard added else { throw unsafe MongoError(copying: error) }
                }
            }
        }
    }
}
