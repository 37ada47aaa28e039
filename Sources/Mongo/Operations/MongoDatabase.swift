import CMongoC

/// The client's database, lent to a closure: not `Sendable`, and invalid after it.
package struct MongoDatabase {
    let lease: Lease

    /// The name from the URI, or the client's default.
    package var name: String { lease.databaseName }

    /// A collection, which need not exist: the first write creates it.
    package func collection(_ name: String) -> MongoCollection {
        MongoCollection(name: name, database: self)
    }

    /// Runs a command against this database on the primary and returns its reply. No write concern is added.
    ///
    /// - Throws: `MongoError`, also if the reply contains `ok: 0`.
    package func command(_ document: BSONDocument) throws -> BSONDocument {
        try command(document, in: name)
    }

    /// Runs a command against the `admin` database, for instance `replSetInitiate`.
    ///
    /// - Throws: `MongoError`, also if the reply contains `ok: 0`.
    package func adminCommand(_ document: BSONDocument) throws -> BSONDocument {
        try command(document, in: "admin")
    }

    /// The server's description of itself: `isWritablePrimary`, and `setName` if it is in a replica set.
    ///
    /// - Throws: `MongoError`.
    package func hello() throws -> BSONDocument {
        try adminCommand(["hello": .int32(1)])
    }

    /// Whether the server supports transactions: it is a member of a replica set or the router of a sharded cluster.
    ///
    /// - Throws: `MongoError`.
    package func supportsTransactions() throws -> Bool {
        let reply = try hello()
        return reply["setName"] != nil || reply["msg"]?.stringValue == "isdbgrid"
    }

    /// Names of all collections, without views, in no particular order. Includes the server's own, such as
    /// `system.views`, which exists if there is a view.
    ///
    /// - Throws: `MongoError`.
    package func collectionNames() throws -> [String] {
        let options: BSONDocument = ["filter": ["type": "collection"]]
        return try unsafe options.withBSON { options in
            try unsafe withHandle { database in
                var error = bson_error_t()
                guard let names = unsafe mongoc_database_get_collection_names_with_opts(database, options, &error)
                else { throw unsafe MongoError(copying: error) }
                defer { unsafe bson_strfreev(names) }
                var result: [String] = []
                var next = unsafe names
                while let name = unsafe next.pointee {
                    unsafe result.append(String(cString: name))
                    unsafe next += 1
                }
                return result
            }
        }
    }

    /// Creates a collection or a view.
    ///
    /// - Parameter options: fields of the `create` command, such as `clusteredIndex`, `validator` or `viewOn`.
    /// - Throws: `MongoError`; `command(code: 48)` if it exists with other options.
    package func createCollection(_ name: String, options: BSONDocument = [:]) throws {
        var command: BSONDocument = ["create": .string(name)]
        for (key, value) in options { command.append(key, value) }
        _ = try self.command(command.withMajority(timeoutMilliseconds: lease.writeTimeoutMilliseconds))
    }

    /// Drops the whole database. Dropping a missing database succeeds.
    ///
    /// - Throws: `MongoError`.
    package func drop() throws {
        try unsafe withHandle { database in
            var error = bson_error_t()
            guard unsafe mongoc_database_drop(database, &error) else { throw unsafe MongoError(copying: error) }
        }
    }

    private func command(_ document: BSONDocument, in database: String) throws -> BSONDocument {
        let client = try unsafe lease.client
        return try unsafe document.withBSON { command in
            try unsafe withReply { reply in
                var error = bson_error_t()
                guard unsafe mongoc_client_command_simple(client, database, command, nil, reply, &error) else {
                    throw unsafe MongoError(copying: error, reply: reply)
                }
                return try unsafe BSONDocument(copying: reply)
            }
        }
    }

    private func withHandle<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        guard let database = try unsafe mongoc_client_get_database(lease.client, name) else {
            throw MongoError(.invalidArgument, "No handle for the database")
        }
        defer { unsafe mongoc_database_destroy(database) }
        return try unsafe body(database)
    }
}

extension BSONDocument {
    /// The command with a write concern of majority and journal.
    func withMajority(timeoutMilliseconds: Int) -> BSONDocument {
        var command = self
        command.append("writeConcern", ["w": "majority", "j": true, "wtimeout": .int(timeoutMilliseconds)])
        return command
    }
}
