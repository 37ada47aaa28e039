import Dispatch

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
    private let questionThreads: ThreadPool
    /// One for each caller that `runBlocking` may serve at a time.
    private let blockingSlots: DispatchSemaphore
    private let blockingWaitLimit: DispatchTimeInterval

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
        guard blockingSlots.wait(timeout: .now() + blockingWaitLimit) == .success else {
            throw MongoError(.unreachable, "No connection became free in time")
        }
        defer { blockingSlots.signal() }
        return try connections.lend(body)
    }

    /// Runs `body` on the calling thread, which may block, while a thread of the client's puts `question` to the
    /// database over a connection of its own: for work of which only the last step needs the answer.
    ///
    /// As with `async let`, the question has ended when the call returns, whatever `body` does with the answer.
    /// Questions wait for nothing but other questions. On the threads of `run` there would be a deadlock: all of them
    /// could be held by calls that wait for what `body` has locked, while it waits for the answer behind them. So a
    /// question must not wait for anything that `body` holds either: it reads, outside transactions.
    ///
    /// - Returns: what `body` returns; nil, without having run it, if no thread can take the question.
    /// - Throws: what `body` throws.
    public func whileAsking<Answer: Sendable, Result>(
        _ question: @escaping @Sendable (MongoDatabase) throws -> Answer,
        _ body: (PendingAnswer<Answer>) throws -> Result
    ) rethrows -> Result? {
        let answer = PendingAnswer<Answer>()
        let connections = connections
        let refusal = questionThreads.offer(
            work: { answer.end(with: Swift.Result { try connections.lend(question) }) },
            refuse: { answer.end(with: .failure($0)) })
        guard refusal == nil else { return nil }
        defer { answer.wait() }
        return try body(answer)
    }

    /// Waits for running and queued calls, ends the threads and closes the connections. Later calls throw
    /// `unreachable`.
    ///
    /// Blocks. Never call it inside `run` or `runBlocking`: it would wait for itself.
    public func close() {
        for pool in [threads, questionThreads] {
            pool.stop()
            pool.join()
        }
        connections.close()
    }
}
