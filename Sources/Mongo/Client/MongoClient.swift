/// A MongoDB deployment: a pool of connections and the threads that use them.
///
/// The driver blocks, so that asynchronous callers are served by threads of the client's own and never block the
/// cooperative pool. Lost connections are made again by themselves; a client is kept for the life of the process.
/// `close` it, or drop the last reference, which lets the threads end on their own.
public final class MongoClient: Sendable {
    /// The database which the URI names, or the default given to `init`.
    public let databaseName: String
    private let connections: ConnectionPool
    private let threads: ThreadPool

    /// Checks the URI and starts the threads; connects only when first used.
    ///
    /// Writes wait for majority and journal whatever the URI says; its other options win over `options`.
    ///
    /// - Parameter defaultDatabaseName: used when the URI's path is empty.
    /// - Throws: `MongoError` of kind `invalidArgument`; its message quotes nothing of the URI.
    public init(uri: String, defaultDatabaseName: String? = nil, options: MongoOptions = .init()) throws {
        connections = try ConnectionPool(uri: uri, defaultDatabaseName: defaultDatabaseName, options: options)
        databaseName = connections.databaseName
        threads = ThreadPool(
            name: "mongo", count: options.poolSize, queueLimit: options.waitQueueLimit,
            waitLimit: .milliseconds(options.waitQueueTimeoutMilliseconds))
    }

    deinit { threads.stop() }

    /// Runs `body` on one of the client's threads, lending it a database. Nothing of the database may be kept.
    ///
    /// Cancelling the task does not interrupt a call that blocks: `body` ends within the time-outs, or not at all if
    /// still queued when the wait queue's time is over.
    ///
    /// - Throws: what `body` throws; `MongoError` of kind `unreachable` if no thread or connection is free in time.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (MongoDatabase) throws -> Result
    ) async throws -> Result {
        let connections = connections
        return try await withCheckedThrowingContinuation { continuation in
            threads.submit(
                work: { continuation.resume(with: Swift.Result { try connections.lend(body) }) },
                refuse: { continuation.resume(throwing: $0) })
        }
    }

    /// The same on the calling thread, which blocks: for threads of one's own, such as a ballot committer's. Never
    /// call it from a task, nor inside another `run`.
    ///
    /// - Throws: what `body` throws; `MongoError` of kind `unreachable` if no connection is free in time.
    public func runBlocking<Result>(_ body: (MongoDatabase) throws -> Result) throws -> Result {
        try connections.lend(body)
    }

    /// Waits for running and queued calls, ends the threads and closes the connections. Later calls throw
    /// `unreachable`.
    ///
    /// Blocks. Never call it inside `run` or `runBlocking`: it would wait for itself.
    public func close() {
        threads.stop()
        threads.join()
        connections.close()
    }
}
