import CMongoC
import Foundation

/// The driver's pool of clients. Each client has one connection per server and serves one caller at a time.
///
/// `@unchecked Sendable`: `pool` and `lent` are only accessed while `condition` is locked. The exceptions are
/// `mongoc_client_pool_pop` and `push`, which are thread-safe (mongoc_client_pool_t, "Thread Safety") and run only
/// between the increment and the decrement of `lent`. The pool is destroyed only when `lent` is 0 and no later caller
/// can raise it, because `pool` is nil by then. All other properties are constants.
@safe final class ConnectionPool: @unchecked Sendable {
    let databaseName: String
    private let writeTimeoutMilliseconds: Int
    private let transactionTimeLimit: Duration
    private let condition = NSCondition()
    private var pool: OpaquePointer?
    private var lent = 0

    init(uri: String, defaultDatabaseName: String?, options: MongoOptions) throws {
        CDriver.ready
        guard options.poolSize > 0, options.blockingPoolSize > 0, options.questionPoolSize >= 0 else {
            throw MongoError(.invalidArgument, "Pool sizes must be positive")
        }
        (unsafe pool, databaseName) = try unsafe MongoURI.parse(uri, options: options) { parsed in
            guard let name = unsafe MongoURI.databaseName(of: parsed) ?? defaultDatabaseName, !name.isEmpty else {
                throw MongoError(.invalidArgument, "The MongoDB URI names no database: mongodb://host/database")
            }
            var error = bson_error_t()
            guard let pool = unsafe mongoc_client_pool_new_with_error(parsed, &error) else {
                throw MongoError(.invalidArgument, "The MongoDB URI's options are contradictory, or its host unknown")
            }
            unsafe mongoc_client_pool_set_error_api(pool, MONGOC_ERROR_API_VERSION_2)
            // One per possible caller, so that none of the three kinds waits for a connection held by another.
            let size = options.poolSize + options.blockingPoolSize + options.questionPoolSize
            unsafe mongoc_client_pool_max_size(pool, UInt32(size))
            return unsafe (pool, name)
        }
        writeTimeoutMilliseconds = options.writeTimeoutMilliseconds
        transactionTimeLimit = .milliseconds(options.transactionTimeLimitMilliseconds)
    }

    deinit { close() }

    /// Lends a client. Its database throws if used after the closure.
    ///
    /// - Throws: `MongoError` of kind `unreachable` if no client becomes free within the wait queue's time-out, or
    ///   after `close`.
    func lend<Result>(_ body: (MongoDatabase) throws -> Result) throws -> Result {
        let pool = try unsafe enter()
        defer { leave() }
        guard let client = unsafe mongoc_client_pool_pop(pool) else {
            throw MongoError(.unreachable, "No connection became free in time")
        }
        defer { unsafe mongoc_client_pool_push(pool, client) }
        let lease = unsafe Lease(
            client: client, databaseName: databaseName, writeTimeoutMilliseconds: writeTimeoutMilliseconds,
            transactionTimeLimit: transactionTimeLimit)
        defer { lease.end() }
        return try body(MongoDatabase(lease: lease))
    }

    /// Waits until all clients have been returned, and closes their connections on a thread of its own: the driver first
    /// waits for its monitor of the servers, which looks up only every 500 ms. Further calls do nothing.
    func close() {
        condition.lock()
        let closing = unsafe pool
        unsafe pool = nil
        while lent > 0 { condition.wait() }
        condition.unlock()
        guard let closing = unsafe closing else { return }
        // Safe, because nothing else has it any more: `pool` is nil, and no client is lent.
        nonisolated(unsafe) let ownedByThread = unsafe closing
        Thread { unsafe mongoc_client_pool_destroy(ownedByThread) }.start()
    }

    private func enter() throws -> OpaquePointer {
        condition.lock()
        defer { condition.unlock() }
        guard let pool = unsafe pool else { throw MongoError(.unreachable, "The client is closed") }
        lent += 1
        return unsafe pool
    }

    private func leave() {
        condition.lock()
        defer { condition.unlock() }
        lent -= 1
        condition.broadcast()
    }
}

/// A client popped from the pool for the duration of a closure. Not `Sendable`: one thread at a time.
@safe final class Lease {
    let databaseName: String
    let writeTimeoutMilliseconds: Int
    let transactionTimeLimit: Duration
    private var handle: OpaquePointer?

    init(
        client: OpaquePointer, databaseName: String, writeTimeoutMilliseconds: Int, transactionTimeLimit: Duration
    ) {
        self.databaseName = databaseName
        self.writeTimeoutMilliseconds = writeTimeoutMilliseconds
        self.transactionTimeLimit = transactionTimeLimit
        unsafe handle = client
    }

    func end() { unsafe handle = nil }

    /// - Throws: `MongoError` of kind `invalidArgument` if its closure has ended.
    var client: OpaquePointer {
        get throws {
            guard let client = unsafe handle else {
                throw MongoError(.invalidArgument, "A database handle was used after the closure it was lent to")
            }
            return unsafe client
        }
    }
}
