import Crypto
import Domain
import Foundation
import Logging
import Metrics
import ObjectStorage
import Ports
import Services
import Storage
import Synchronization
import TestSupport

/// A Friday morning, in whole seconds like in the stores.
let testStart = Date(timeIntervalSince1970: 1_795_168_800)

/// Runs the test's closure.
struct TestHandler: JobHandler {
    var kind = "test"
    var maximumAttempts = 3
    var patience: Duration?
    var deadline = Duration.seconds(300)
    var isTimed = true
    let body: @Sendable (JobContext) async throws -> Void

    init(
        maximumAttempts: Int = 3, deadline: Duration = .seconds(300),
        _ body: @escaping @Sendable (JobContext) async throws -> Void
    ) {
        self.maximumAttempts = maximumAttempts
        self.deadline = deadline
        self.body = body
    }

    func run(_ context: JobContext) async throws {
        try await body(context)
    }
}

/// The actions of handlers, in order; a test can wait for the next event.
final class Events: Sendable {
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let log = Mutex<[String]>([])

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func add(_ event: String) {
        log.withLock { $0.append(event) }
        continuation.yield(event)
    }

    var all: [String] { log.withLock { $0 } }

    /// Waits for the next event that was not returned yet.
    func next() async -> String? {
        await stream.first { _ in true }
    }
}

extension JobProcessor {
    /// A processor with the test's clock, whose random numbers are always one half.
    init(
        _ stores: Stores, clock: ManualClock, schedule: Schedule = Schedule([]),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, handlers: TestHandler...
    ) {
        self.init(
            jobs: stores.jobs, handlers: handlers, schedule: schedule, clock: clock.wall, timer: clock,
            random: { 0.5 }, metrics: metrics, logger: .silent)
    }
}

extension Logger {
    /// Discards log lines of tests.
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension ObjectStore where Self == FileObjectStore {
    /// An empty store for tests without pictures: a folder that does not exist.
    static var nowhere: FileObjectStore {
        FileObjectStore(folder: FileManager.default.temporaryDirectory.appending(path: "no-objects").path)
    }
}

extension Secrets {
    /// Unique keys.
    static let test = Secrets(jwt: SymmetricKey(size: .bits256), ballot: TestTeam.secret)
}

extension JobStore {
    /// Stores a due job of `TestHandler`'s kind.
    func enqueueTest(runAt: Date = testStart) async throws -> Job.ID {
        let job = Job(kind: "test", runAt: runAt)
        _ = try await enqueue(job)
        return job.id
    }
}
