import CMongoC

extension MongoCollection {
    /// Inserts one document. Without an `_id` the driver adds an object id, which reveals the time.
    ///
    /// - Throws: `MongoError`; `duplicateKey` if its key already exists in a unique index.
    package func insertOne(_ document: BSONDocument, in transaction: MongoTransaction? = nil) throws {
        _ = try unsafe withHandle(options: [:], in: transaction) { collection, options in
            try unsafe document.withBSON { document in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_insert_one(collection, document, options, reply, error)
                }
            }
        }
    }

    /// Inserts documents in as few messages as possible. An empty array is valid. See `insertOne` for `_id`.
    ///
    /// - Parameter ordered: stop at the first failure; otherwise attempt all.
    /// - Throws: `MongoError` if any failed, with `failedIndexes`; `duplicateKey` if a key already exists in a unique
    ///   index. Outside a transaction the other documents are still inserted.
    package func insertMany(
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

    /// Deletes at most one matching document.
    ///
    /// - Returns: the number of deleted documents.
    /// - Throws: `MongoError`.
    @discardableResult
    package func deleteOne(_ filter: BSONDocument, in transaction: MongoTransaction? = nil) throws -> Int {
        try unsafe withHandle(options: [:], in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_delete_one(collection, filter, options, reply, error)
                }
            }
        }["deletedCount"]?.intValue ?? 0
    }

    /// Deletes all matching documents. After a very large deletion, point reads of the collection are slow for minutes
    /// (13 ms each were measured): drop the collection instead, or delete in batches.
    ///
    /// - Returns: the number of deleted documents.
    /// - Throws: `MongoError`.
    @discardableResult
    package func deleteMany(_ filter: BSONDocument, in transaction: MongoTransaction? = nil) throws -> Int {
        try unsafe withHandle(options: [:], in: transaction) { collection, options in
            try unsafe filter.withBSON { filter in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_delete_many(collection, filter, options, reply, error)
                }
            }
        }["deletedCount"]?.intValue ?? 0
    }
}
