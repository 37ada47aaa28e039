import Crypto
import Foundation
import Logging
import Metrics
import ObjectStorage
import Shared
import Synchronization
import TestSupport

/// A Friday morning; whole seconds, as stores keep them.
let testStart = Date(timeIntervalSince1970: 1_795_168_800)

/// Runs whatever the test says.
struct TestHandler: JobHandler {
    var kind = "test"
    var maximumAttempts = 3
    var deadline = Duration.seconds(300)
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

/// What handlers did, in order; a test can wait for it.
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

    /// Waits for the next event that nobody has waited for.
    func next() async -> String? {
        await stream.first { _ in true }
    }
}

extension JobProcessor {
    /// A processor whose time is the test's and whose dice always show a half.
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
    /// What tests log goes nowhere.
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension ObjectStore where Self == FileObjectStore {
    /// An empty store for tests in which nobody has a picture: a folder that is not there.
    static var nowhere: FileObjectStore {
        FileObjectStore(folder: FileManager.default.temporaryDirectory.appending(path: "no-objects").path)
    }
}

extension Secrets {
    /// Keys nobody else has.
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
