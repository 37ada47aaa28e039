import Dispatch

/// A MongoDB deployment: a pool of connections and the threads that use them.
///
/// The driver blocks, so the client's own threads serve asynchronous callers and the cooperative pool never blocks.
/// Lost connections are re-established automatically; keep a client for the life of the process. `close` it, or drop
/// the last reference: the threads then end on their own.
package final class MongoClient: Sendable {
    /// The database named in the URI, or the default given to `init`.
    package let databaseName: String
    private let connections: ConnectionPool
    private let threads: ThreadPool
    private let questionThreads: ThreadPool
    /// One slot for each caller that `runBlocking` may serve concurrently.
    private let blockingSlots: DispatchSemaphore
    private let blockingWaitLimit: DispatchTimeInterval

    /// Validates the URI and starts the threads. The client connects on first use.
    ///
    /// Writes always wait for majority and journal, whatever the URI says. Other options in the URI override `options`.
    ///
    /// - Parameter defaultDatabaseName: used if the URI's path is empty.
    /// - Throws: `MongoError` of kind `invalidArgument`; its message quotes no part of the URI.
    package init(uri: String, defaultDatabaseName: String? = nil, options: MongoOptions = .init()) throws {
        connections = try ConnectionPool(uri: uri, defaultDatabaseName: defaultDatabaseName, options: options)
        databaseName = connections.databaseName
        threads = ThreadPool(
            name: "mongo", count: options.poolSize, queueLimit: options.waitQueueLimit,
            waitLimit: .milliseconds(options.waitQueueTimeoutMilliseconds))
        questionThreads = ThreadPool(
            name: "mongo-asks", count: options.questionPoolSize, queueLimit: options.questionPoolSize,
            waitLimit: .milliseconds(options.waitQueueTimeoutMilliseconds))
        blockingSlots = DispatchSemaphore(value: options.blockingPoolSize)
        blockingWaitLimit = .milliseconds(Int(options.waitQueueTimeoutMilliseconds))
    }

    deinit {
        threads.stop()
        questionThreads.stop()
    }

    /// Runs `body` on one of the client's threads and lends it a database. The database must not escape the closure.
    ///
    /// Cancelling the task does not interrupt a blocking call: `body` ends within the time-outs. It never starts if it
    /// is still queued when the wait queue's time-out expires.
    ///
    /// - Throws: what `body` throws; `MongoError` of kind `unreachable` if no thread or connection is free in time.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable (MongoDatabase) throws -> Result
    ) async throws -> Result {
        let connections = connections
        return try await withCheckedThrowingContinuation { continuation in
            threads.submit(
                work: { continuation.resume(with: Swift.Result { try connections.lend(body) }) },
                reject: { continuation.resume(throwing: $0) })
        }
    }

    /// Like `run`, but blocks the calling thread. For dedicated threads such as a ballot committer's. Never call it
    /// from a task or inside another `run`.
    ///
    /// - Throws: what `body` throws; `MongoError` of kind `unreachable` if no connection is free in time.
    package func runBlocking<Result>(_ body: (MongoDatabase) throws -> Result) throws -> Result {
        guard blockingSlots.wait(timeout: .now() + blockingWaitLimit) == .success else {
            throw MongoError(.unreachable, "No connection became free in time")
        }
        defer { blockingSlots.signal() }
        return try connections.lend(body)
    }

    /// Runs `body` on the calling thread, which may block, while one of the client's threads runs `question` over its
    /// own connection. For work where only the last step needs the answer.
    ///
    /// As with `async let`, the question has ended when the call returns, whether or not `body` uses the answer.
    /// Questions wait only for other questions. On the threads of `run` they could deadlock: all of those threads could
    /// be held by calls that wait for a lock held by `body`, while `body` waits for its answer, queued behind them. For
    /// the same reason a question must not wait for anything that `body` holds: it only reads, outside transactions.
    ///
    /// - Returns: the result of `body`, or nil, without running it, if no thread can take the question.
    /// - Throws: what `body` throws.
    package func whileAsking<Value: Sendable, Result>(
        _ question: @escaping @Sendable (MongoDatabase) throws -> Value,
        _ body: (PendingResult<Value>) throws -> Result
    ) rethrows -> Result? {
        let pending = PendingResult<Value>()
        let connections = connections
        let rejection = questionThreads.offer(
            work: { pending.end(with: Swift.Result { try connections.lend(question) }) },
            reject: { pending.end(with: .failure($0)) })
        guard rejection == nil else { return nil }
        defer { pending.wait() }
        return try body(pending)
    }

    /// Waits for running and queued calls, ends the threads and closes the connections. Later calls throw
    /// `unreachable`.
    ///
    /// Blocks. Never call it inside `run` or `runBlocking`: it would wait for itself.
    package func close() {
        for pool in [threads, questionThreads] {
            pool.stop()
            pool.join()
        }
        connections.close()
    }
}
