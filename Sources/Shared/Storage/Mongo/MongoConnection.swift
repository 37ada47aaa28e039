import Logging
import Mongo

/// The client as used by the stores: runs blocking work on the client's threads and translates errors for the domain.
struct MongoConnection: Sendable {
    private static let logger = Logger(label: "store.mongodb")

    private let client: MongoClient
    /// What the latest calls showed.
    let writability = Writability()

    init(_ client: MongoClient) {
        self.client = client
    }

    /// Runs `body` on a thread of the client.
    /// - Throws: what `body` throws, or `StorageError`.
    func run<Result: Sendable>(_ body: @escaping @Sendable (MongoDatabase) throws -> Result) async throws -> Result {
        do {
            return try await client.run(body)
        } catch {
            throw translated(error)
        }
    }

    /// Like `run`, but on the calling thread, which must be allowed to block.
    func runBlocking<Result>(_ body: (MongoDatabase) throws -> Result) throws -> Result {
        do {
            return try client.runBlocking(body)
        } catch {
            throw translated(error)
        }
    }

    /// Runs `body` on the calling thread while another thread runs `question`, for use inside `runBlocking`; see
    /// `MongoClient.whileAsking`. Errors are the database's own; `runBlocking` translates them.
    /// - Returns: nil, without running `body`, if no thread can take the question.
    func whileAsking<Answer: Sendable, Result>(
        _ question: @escaping @Sendable (MongoDatabase) throws -> Answer,
        _ body: (PendingResult<Answer>) throws -> Result
    ) rethrows -> Result? {
        try client.whileAsking(question, body)
    }

    /// Opens the first connection for callers that need one soon. Ignores failures: the first call reports them.
    func warmUp() async {
        _ = try? await client.run { try $0.hello() }
    }

    /// Waits for running calls, then closes the connections. Blocks.
    func close() {
        client.close()
    }

    /// The only place that translates the database's errors into the domain's. Untranslated errors are bugs of ours.
    private func translated(_ error: any Error) -> any Error {
        guard let error = error as? MongoError else { return error }
        switch error.kind {
        case .unreachable, .timedOut: writability.noteFailure()
        case .command(let code) where Self.refusedWrites.contains(code): writability.noteFailure()
        case .transient: break
        case .duplicateKey where !error.isCommitUnknown: return StorageError.duplicate
        case .duplicateKey, .invalidArgument, .command, .decoding:
            guard error.isCommitUnknown else { return error }
        }
        // Only the code: the driver's message can contain values.
        Self.logger.error("Store unavailable", metadata: ["mongodb.code": "\(error.code)"])
        return StorageError.unavailable
    }

    /// The server answers, and rejects every write: UnsatisfiableWriteConcern, UserWritesBlocked, OutOfDiskSpace
    /// (src/mongo/base/error_codes.yml of MongoDB 6.0).
    private static let refusedWrites: Set<Int> = [100, 371, 14031]
}

extension MongoDatabase {
    /// The collection of this name.
    func collection(_ name: MongoCollectionName) -> MongoCollection {
        collection(name.rawValue)
    }
}
