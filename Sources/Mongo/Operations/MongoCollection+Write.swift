import CMongoC

extension MongoCollection {
    /// Inserts one document. Without an `_id` the driver adds an object id, which tells the time.
    ///
    /// - Throws: `MongoError`; `duplicateKey` if a unique index has its key.
    public func insertOne(_ document: BSONDocument, in transaction: MongoTransaction? = nil) throws {
        _ = try unsafe withHandle(options: [:], in: transaction) { collection, options in
            try unsafe document.withBSON { document in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_insert_one(collection, document, options, reply, error)
                }
            }
        }
    }

    /// Inserts documents, in as few messages as fit. None is no error. See `insertOne` for `_id`.
    ///
    /// - Parameter ordered: stop at the first that fails; else try them all.
    /// - Throws: `MongoError` if any failed, with `failedIndexes`; of kind `duplicateKey` if a unique index has a key.
    ///   Outside a transaction the others are inserted all the same.
    public func insertMany(
        _ documents: [BSONDocument], ordered: Bool = true, in transaction: MongoTransaction? = nil
    ) throws {
        guard !documents.isEmpty else { return }
        _ = try unsafe withHandle(options: ["ordered": .bool(ordered)], in: transaction) { collection, options in
            var copies: [OpaquePointer?] = unsafe []
            defer {
                while let copy = unsafe copies.popLast() { unsafe bson_destroy(copy) }
            }
            for document in documents {
                let copy = unsafe document.bytes.withUnsafeBufferPointer { buffer in
                    unsafe bson_new_from_data(buffer.baseAddress, buffer.count)
                }
                guard let copy = unsafe copy else {
                    throw MongoError(.invalidArgument, "The driver refuses a document")
                }
                unsafe copies.append(copy)
            }
            return try unsafe copies.withUnsafeMutableBufferPointer { copies in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_insert_many(
                        collection, copies.baseAddress, copies.count, options, reply, error)
                }
            }
        }
    }

    /// Deletes at most one document that matches.
    ///
    /// - Returns: how many were deleted.
    /// - Throws: `MongoError`.
    @discardableResult
    public func deleteOne(_ filter: BSONDocument, in transaction: MongoTransaction? = nil) throws -> Int {
        try unsafe withHandle(options: [:], in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_delete_one(collection, filter, options, reply, error)
                }
            }
        }["deletedCount"]?.intValue ?? 0
    }

    /// Deletes all documents that match. After very many, point reads of the collection are slow for minutes
    /// (13 ms each were measured): drop the collection instead, or delete in slices.
    ///
    /// - Returns: how many were deleted.
    /// - Throws: `MongoError`.
    @discardableResult
    public func deleteMany(_ filter: BSONDocument, in transaction: MongoTransaction? = nil) throws -> Int {
        try unsafe withHandle(options: [:], in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_delete_many(collection, filter, options, reply, error)
                }
            }
        }["deletedCount"]?.intValue ?? 0
    }
}
