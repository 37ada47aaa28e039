import CMongoC

/// One of the updates of a bulk call.
public struct BulkUpdate: Sendable, Hashable {
    /// Which documents.
    public var filter: BSONDocument
    /// Operators such as `$inc`.
    public var update: BSONDocument
    /// Insert a document if none matches.
    public var upsert: Bool
    /// All that match rather than at most one. Makes the whole bulk call not retryable by the driver.
    public var many: Bool

    /// An update of at most one document, unless told otherwise.
    public init(_ filter: BSONDocument, _ update: BSONDocument, upsert: Bool = false, many: Bool = false) {
        self.filter = filter
        self.update = update
        self.upsert = upsert
        self.many = many
    }
}

extension MongoCollection {
    /// Makes many updates in as few messages as fit: much faster than one by one. None is no error.
    ///
    /// - Parameter ordered: stop at the first that fails; else try them all.
    /// - Returns: sums over all updates; `upserted` if any inserted.
    /// - Throws: `MongoError` if any failed, with `failedIndexes`.
    @discardableResult
    public func bulkUpdate(
        _ updates: [BulkUpdate], ordered: Bool = true, in transaction: MongoTransaction? = nil
    ) throws -> UpdateResult {
        guard !updates.isEmpty else { return UpdateResult(matched: 0, modified: 0, upserted: false) }
        let answer = try unsafe withHandle(options: ["ordered": .bool(ordered)], in: transaction) {
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
            matched: answer["nMatched"]?.intValue ?? 0, modified: answer["nModified"]?.intValue ?? 0,
            upserted: (answer["nUpserted"]?.intValue ?? 0) > 0)
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
