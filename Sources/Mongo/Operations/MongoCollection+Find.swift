import CMongoC

extension MongoCollection {
    /// The matching documents, in the order given by `sort`.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of documents; 0 loads all of them into memory.
    ///   - options: further options of the driver's find, such as `hint`, `collation`, `maxTimeMS`.
    /// - Throws: `MongoError`.
    package func find(
        _ filter: BSONDocument, sort: BSONDocument? = nil, projection: BSONDocument? = nil, limit: Int = 0,
        skip: Int = 0, options: BSONDocument = [:], in transaction: MongoTransaction? = nil
    ) throws -> [BSONDocument] {
        var found: [BSONDocument] = []
        try forEach(
            filter, sort: sort, projection: projection, limit: limit, skip: skip, options: options, in: transaction
        ) { document in
            found.append(document)
            return true
        }
        return found
    }

    /// The first matching document, in the order given by `sort`; nil if none matches.
    ///
    /// - Throws: `MongoError`.
    package func findOne(
        _ filter: BSONDocument, sort: BSONDocument? = nil, projection: BSONDocument? = nil,
        options: BSONDocument = [:], in transaction: MongoTransaction? = nil
    ) throws -> BSONDocument? {
        try find(filter, sort: sort, projection: projection, limit: 1, options: options, in: transaction).first
    }

    /// Passes the matching documents one by one to `body`, without holding all in memory, until it returns false.
    ///
    /// - Throws: `MongoError`; what `body` throws.
    package func forEach(
        _ filter: BSONDocument, sort: BSONDocument? = nil, projection: BSONDocument? = nil, limit: Int = 0,
        skip: Int = 0, options: BSONDocument = [:], in transaction: MongoTransaction? = nil,
        _ body: (BSONDocument) throws -> Bool
    ) throws {
        guard limit >= 0, skip >= 0 else { throw MongoError(.invalidArgument, "A negative limit or skip") }
        var options = options
        if let sort { options.append("sort", .document(sort)) }
        if let projection { options.append("projection", .document(projection)) }
        if limit > 0 { options.append("limit", .int(limit)) }
        if skip > 0 { options.append("skip", .int(skip)) }
        if limit == 1 { options.append("singleBatch", true) }
        try unsafe withHandle(options: options, in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                try unsafe drain(mongoc_collection_find_with_opts(collection, filter, options, nil), body)
            }
        }
    }

    /// Runs an aggregation pipeline and returns its results, all in memory.
    ///
    /// - Throws: `MongoError`.
    package func aggregate(
        _ pipeline: [BSONDocument], options: BSONDocument = [:], in transaction: MongoTransaction? = nil
    ) throws -> [BSONDocument] {
        let stages: BSONDocument = ["pipeline": .array(pipeline.map { .document($0) })]
        var found: [BSONDocument] = []
        try unsafe withHandle(options: options, in: transaction) { collection, options in
            try unsafe stages.withBSON { stages in
                let cursor = unsafe mongoc_collection_aggregate(
                    collection, MONGOC_QUERY_NONE, stages, options, nil)
                try unsafe drain(cursor) { document in
                    found.append(document)
                    return true
                }
            }
        }
        return found
    }

    /// The exact number of matching documents. The server scans the matches.
    ///
    /// - Throws: `MongoError`.
    package func count(
        _ filter: BSONDocument = [:], options: BSONDocument = [:], in transaction: MongoTransaction? = nil
    ) throws -> Int {
        try unsafe withHandle(options: options, in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                var count: Int64 = -1
                _ = try unsafe reply { reply, error in
                    count = unsafe mongoc_collection_count_documents(
                        collection, filter, options, nil, reply, error)
                    return count >= 0
                }
                return Int(count)
            }
        }
    }

    /// Reads the cursor to its end and destroys it.
    private func drain(_ cursor: OpaquePointer?, _ body: (BSONDocument) throws -> Bool) throws {
        guard let cursor = unsafe cursor else { throw MongoError(.invalidArgument, "No cursor") }
        defer { unsafe mongoc_cursor_destroy(cursor) }
        // The document belongs to the cursor until the next step, so it is copied immediately.
        var current: OpaquePointer?
        while unsafe mongoc_cursor_next(cursor, &current) {
            guard let document = unsafe current else { break }
            guard try unsafe body(BSONDocument(copying: document)) else { return }
        }
        var error = bson_error_t()
        var reply: OpaquePointer?
        guard unsafe mongoc_cursor_error_document(cursor, &error, &reply) else { return }
        throw unsafe MongoError(copying: error, reply: reply)
    }
}
