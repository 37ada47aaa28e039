import CMongoC

extension MongoCollection {
    /// Atomically updates and returns the first matching document, in the order given by `sort`.
    ///
    /// - Parameter returnNew: whether to return the document as it is after the update instead of before.
    /// - Returns: nil if no document matched, or if one was upserted and `returnNew` is false.
    /// - Throws: `MongoError`; `duplicateKey` also if two upserts of the same key race.
    @discardableResult
    package func findOneAndUpdate(
        _ filter: BSONDocument, _ update: BSONDocument, sort: BSONDocument? = nil, projection: BSONDocument? = nil,
        upsert: Bool = false, returnNew: Bool = false, in transaction: MongoTransaction? = nil
    ) throws -> BSONDocument? {
        var flags = MONGOC_FIND_AND_MODIFY_NONE.rawValue
        if upsert { flags |= MONGOC_FIND_AND_MODIFY_UPSERT.rawValue }
        if returnNew { flags |= MONGOC_FIND_AND_MODIFY_RETURN_NEW.rawValue }
        let result = try unsafe withHandle(options: [:], in: transaction) { collection, session in
            guard let details = unsafe mongoc_find_and_modify_opts_new() else {
                throw MongoError(.invalidArgument, "No options for findAndModify")
            }
            defer { unsafe mongoc_find_and_modify_opts_destroy(details) }
            // All these functions copy their arguments.
            unsafe mongoc_find_and_modify_opts_set_flags(details, mongoc_find_and_modify_flags_t(rawValue: flags))
            unsafe mongoc_find_and_modify_opts_append(details, session)
            try unsafe update.withBSON { unsafe mongoc_find_and_modify_opts_set_update(details, $0) }
            if let sort { try unsafe sort.withBSON { unsafe mongoc_find_and_modify_opts_set_sort(details, $0) } }
            if let projection {
                try unsafe projection.withBSON { unsafe mongoc_find_and_modify_opts_set_fields(details, $0) }
            }
            return try unsafe filter.withBSON { filter in
                try unsafe reply { reply, error in
                    unsafe mongoc_collection_find_and_modify_with_opts(collection, filter, details, reply, error)
                }
            }
        }
        return result["value"]?.documentValue
    }
}
