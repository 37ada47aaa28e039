import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Turns at hashing passwords: as many at once as there are threads, the rest wait in order, and only so many wait.
///
/// Hashing takes a fifth of a second on purpose. On an event loop or Swift's cooperative threads it would stop
/// everything else, so it runs on threads that do nothing else.
final class PasswordThreadPool: Sendable {
    private typealias Waiting = CheckedContinuation<Void, any Error>

    private struct Turns {
        var free: Int
        var waiting: [(id: UInt64, continuation: Waiting)] = []
        var lastID: UInt64 = 0
        /// Have an id and are about to wait; a cancelled one is taken out, so that it will not.
        var arriving: Set<UInt64> = []
    }

    /// Seconds. Half a full queue at the default cost is through by then.
    private static let retryAfter = 5

    private let turns: Mutex<Turns>
    private let queueLimit: Int
    private let threadCount: Int
    private let work = BlockingQueue()

    init(threads: Int, queueLimit: Int) {
        turns = Mutex(Turns(free: threads))
        self.queueLimit = queueLimit
        threadCount = threads
        for number in 1...threads {
            let thread = Thread { [work] in
                Self.yieldToRequests()
                work.runUntilStopped()
            }
            thread.start()
            // Not before, or the kernel does not learn it: `top -H` shows who is busy.
            thread.name = "passwords-\(number)"
        }
    }

    /// Steps of `nice`. On a machine with few cores a burst of log-ins would else take its share of what serves
    /// everybody else; on an idle one a lower priority changes nothing.
    private static let niceness: Int32 = 5

    /// Lowers the priority of the calling thread; on Linux a process id of 0 means the thread alone (setpriority(2),
    /// "C library/kernel differences"). That it fails is no reason not to hash.
    private static func yieldToRequests() {
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #endif
    }

    deinit {
        work.stop(threads: threadCount)
    }

    /// Waits for a turn, then runs `body`, which may call `run` and nothing that waits for a turn again.
    /// - Throws: `AppError.unavailable` if too many wait, `CancellationError`, what `body` throws.
    func inTurn<Success>(_ body: () async throws -> Success) async throws -> Success {
        try await takeTurn()
        defer { endTurn() }
        return try await body()
    }

    /// Runs blocking work on a thread of the pool. For the holder of a turn, so that the work starts at once.
    func run<Success: Sendable>(_ block: @escaping @Sendable () throws -> Success) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            work.append { continuation.resume(with: Result(catching: block)) }
        }
    }

    private func takeTurn() async throws {
        let id = try turns.withLock { turns -> UInt64? in
            if turns.free > 0 {
                turns.free -= 1
                return nil
            }
            guard turns.waiting.count + turns.arriving.count < queueLimit else {
                throw AppError(
                    .unavailable, "Too many people are logging in right now. Please try again in a moment.",
                    reason: "log-in-queue-full", retryAfter: Self.retryAfter)
            }
            turns.lastID += 1
            turns.arriving.insert(turns.lastID)
            return turns.lastID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id, continuation)
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func wait(_ id: UInt64, _ continuation: Waiting) {
        let result: Result<Void, any Error>? = turns.withLock { turns in
            guard turns.arriving.remove(id) != nil else { return .failure(CancellationError()) }
            // A turn can have ended since the queue was looked at.
            if turns.free > 0 {
                turns.free -= 1
                return .success(())
            }
            turns.waiting.append((id, continuation))
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func cancel(_ id: UInt64) {
        let continuation = turns.withLock { turns -> Waiting? in
            guard let index = turns.waiting.firstIndex(where: { $0.id == id }) else {
                turns.arriving.remove(id)
                return nil
            }
            return turns.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    private func endTurn() {
        let next = turns.withLock { turns -> Waiting? in
            if turns.waiting.isEmpty {
                turns.free += 1
                return nil
            }
            return turns.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}

/// Blocks of work for threads that wait for them.
private final class BlockingQueue: Sendable {
    private let blocks = Mutex<[@Sendable () -> Void]>([])
    /// Counts the blocks, and a stop for each thread.
    private let signals = DispatchSemaphore(value: 0)

    func append(_ block: @escaping @Sendable () -> Void) {
        blocks.withLock { $0.append(block) }
        signals.signal()
    }

    /// Lets the threads end after the work that is queued.
    func stop(threads: Int) {
        for _ in 0..<threads {
            signals.signal()
        }
    }

    func runUntilStopped() {
        while let block = next() {
            block()
        }
    }

    /// `nil` when a signal came without a block: the stop.
    private func next() -> (@Sendable () -> Void)? {
        signals.wait()
        return blocks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
