import CMongoC

/// Parses a connection string and applies the settings common to all our clients.
enum MongoURI {
    /// Lends the parsed URI with time-outs, name, concerns and read preference set. Time-outs in the URI are kept. The
    /// other settings are always ours, because our durability and consistency guarantees depend on them.
    ///
    /// - Throws: `MongoError` of kind `invalidArgument`. The driver's own message is dropped because it can quote the
    ///   password.
    static func parse<Result>(
        _ text: String, options: MongoOptions, _ body: (OpaquePointer) throws -> Result
    ) throws -> Result {
        guard text.hasPrefix("mongodb://") || text.hasPrefix("mongodb+srv://") else {
            throw MongoError(.invalidArgument, "A MongoDB URI starts with mongodb:// or mongodb+srv://")
        }
        guard !text.utf8.contains(0) else {
            throw MongoError(.invalidArgument, "A MongoDB URI cannot hold a zero character")
        }
        var error = bson_error_t()
        guard let uri = unsafe mongoc_uri_new_with_error(text, &error) else {
            throw MongoError(
                .invalidArgument,
                "The MongoDB URI is malformed. Its form is mongodb://user:password@host:port/database?replicaSet=name; "
                    + "special characters in user and password have to be percent-encoded")
        }
        defer { unsafe mongoc_uri_destroy(uri) }
        try unsafe apply(options, to: uri)
        return try unsafe body(uri)
    }

    /// The database in the URI's path, nil if there is none.
    static func databaseName(of uri: OpaquePointer) -> String? {
        guard let name = unsafe mongoc_uri_get_database(uri) else { return nil }
        let text = unsafe String(cString: name)
        return text.isEmpty ? nil : text
    }

    private static func apply(_ options: MongoOptions, to uri: OpaquePointer) throws {
        let milliseconds = [
            "serverSelectionTimeoutMS": options.serverSelectionTimeoutMilliseconds,
            "heartbeatFrequencyMS": options.heartbeatMilliseconds,
            "connectTimeoutMS": options.connectTimeoutMilliseconds,
            "socketTimeoutMS": options.socketTimeoutMilliseconds,
            "waitQueueTimeoutMS": options.waitQueueTimeoutMilliseconds,
        ]
        for (name, value) in milliseconds where unsafe !mongoc_uri_has_option(uri, name) {
            guard value > 0, unsafe mongoc_uri_set_option_as_int32(uri, name, value) else {
                throw MongoError(.invalidArgument, "\(name) is too small")
            }
        }
        // Overrides any name in the URI: we use ours to find connections left over from our own processes.
        guard unsafe mongoc_uri_set_appname(uri, options.appName) else {
            throw MongoError(.invalidArgument, "The application name is longer than 128 bytes")
        }
        try unsafe ReadConcern.withMajority { concern in
            unsafe mongoc_uri_set_read_concern(uri, concern)
        }
        try unsafe ReadPreference.withPrimary { preference in
            unsafe mongoc_uri_set_read_prefs_t(uri, preference)
        }
        try unsafe WriteConcern.withMajority(timeoutMilliseconds: options.writeTimeoutMilliseconds) { concern in
            unsafe mongoc_uri_set_write_concern(uri, concern)
        }
    }
}

/// Read concern for reads outside a transaction.
enum ReadConcern {
    /// Lends "majority": a change of primary must not be able to roll back what we have reported, such as that a
    /// member's ballot was accepted.
    static func withMajority<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        guard let concern = unsafe mongoc_read_concern_new() else {
            throw MongoError(.invalidArgument, "No read concern")
        }
        defer { unsafe mongoc_read_concern_destroy(concern) }
        guard unsafe mongoc_read_concern_set_level(concern, MONGOC_READ_CONCERN_LEVEL_MAJORITY) else {
            throw MongoError(.invalidArgument, "No read concern")
        }
        return try unsafe body(concern)
    }
}

/// Which server handles reads.
enum ReadPreference {
    /// Lends "primary", so that callers can read their own writes.
    static func withPrimary<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        guard let preference = unsafe mongoc_read_prefs_new(MONGOC_READ_PRIMARY) else {
            throw MongoError(.invalidArgument, "No read preference")
        }
        defer { unsafe mongoc_read_prefs_destroy(preference) }
        return try unsafe body(preference)
    }
}

/// Durability of writes.
enum WriteConcern {
    /// Lends "majority with journal": every write waits until a majority confirms it with the journal on disk.
    static func withMajority<Result>(
        timeoutMilliseconds: Int, _ body: (OpaquePointer) throws -> Result
    ) throws -> Result {
        guard let concern = unsafe mongoc_write_concern_new() else {
            throw MongoError(.invalidArgument, "No write concern")
        }
        defer { unsafe mongoc_write_concern_destroy(concern) }
        unsafe mongoc_write_concern_set_wmajority(concern, Int32(clamping: timeoutMilliseconds))
        unsafe mongoc_write_concern_set_journal(concern, true)
        return try unsafe body(concern)
    }
}
