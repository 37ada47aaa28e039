import Logging
import Mongo

/// The client as the stores use it: blocking work on the client's threads, its errors in the words of the domain.
struct MongoConnection: Sendable {
    private static let logger = Logger(label: "store.mongodb")

    private let client: MongoClient

    init(_ client: MongoClient) {
        self.client = client
    }

    /// Runs `body` on a thread of the client.
    /// - Throws: what `body` throws, or `AppError.storeUnavailable` if the database is away.
    func run<Result: Sendable>(_ body: @escaping @Sendable (MongoDatabase) throws -> Result) async throws -> Result {
        do {
            return try await client.run(body)
        } catch {
            throw Self.translated(error)
        }
    }

    /// The same on the calling thread, for threads that may block.
    func runBlocking<Result>(_ body: (MongoDatabase) throws -> Result) throws -> Result {
        do {
            return try client.runBlocking(body)
        } catch {
            throw Self.translated(error)
        }
    }

    /// Runs `body` on the calling thread while another one puts `question` to the database, for use inside
    /// `runBlocking`: `MongoClient.whileAsking`. Errors are the database's own, for `runBlocking` to translate.
    /// - Returns: nil, without having run `body`, if no thread can take the question.
    func whileAsking<Answer: Sendable, Result>(
        _ question: @escaping @Sendable (MongoDatabase) throws -> Answer,
        _ body: (PendingAnswer<Answer>) throws -> Result
    ) rethrows -> Result? {
        try client.whileAsking(question, body)
    }

    /// Makes the first connection, for who needs one soon. Fails in silence: the first call tells what is wrong.
    func warmUp() async {
        _ = try? await client.run { try $0.hello() }
    }

    /// Waits for what runs, then closes the connections. Blocks.
    func close() {
        client.close()
    }

    /// The one place where the database's errors become the domain's. What is left as it is, is a fault of ours.
    private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? MongoError else { return error }
        switch error.kind {
        case .unreachable, .timedOut, .transient: break
        case .duplicateKey, .invalidArgument, .command, .decoding:
            guard error.isCommitUnknown else { return error }
        }
        // The code alone: the driver's message can hold values.
        logger.error("Store unavailable", metadata: ["mongodb.code": "\(error.code)"])
        return AppError.storeUnavailable
    }
}

extension MongoDatabase {
    /// The collection of this name.
    func collection(_ name: MongoCollectionName) -> MongoCollection {
        collection(name.rawValue)
    }
}
