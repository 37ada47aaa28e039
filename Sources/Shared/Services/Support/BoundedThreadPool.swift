import Dispatch
import Domain
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Turns for long computations, such as hashing passwords: one per thread at a time. Further callers wait in order, up
/// to a limit.
///
/// They would block an event loop or Swift's cooperative threads, so they run on dedicated threads.
final class BoundedThreadPool: Sendable {
    private typealias Waiting = CheckedContinuation<Void, any Error>

    private struct Turns {
        var free: Int
        var waiting: [(id: UInt64, continuation: Waiting)] = []
        var lastID: UInt64 = 0
        /// Callers that have an id and are about to wait; a cancelled one is removed, so that it does not wait.
        var arriving: Set<UInt64> = []
    }

    private let turns: Mutex<Turns>
    private let queueLimit: Int
    private let threadCount: Int
    /// Thrown if the queue is full.
    private let rejection: AppError
    private let work = BlockingQueue()

    /// - Parameters:
    ///   - name: of the threads, followed by a number.
    ///   - rejection: thrown if the queue is full.
    init(name: String, threads: Int, queueLimit: Int, rejection: AppError) {
        turns = Mutex(Turns(free: threads))
        self.queueLimit = queueLimit
        threadCount = threads
        self.rejection = rejection
        for number in 1...threads {
            let thread = Thread { [work] in
                Self.yieldToRequests()
                work.runUntilStopped()
            }
            thread.start()
            // Set from within the thread, or the kernel does not see the name. It lets `top -H` show which pool is
            // busy.
            thread.name = "\(name)-\(number)"
        }
    }

    /// Steps of `nice`. On a machine with few cores a burst of logins or votes would otherwise compete with other requests; on
    /// an idle one a lower priority makes no difference.
    private static let niceness: Int32 = 5

    /// Lowers the priority of the calling thread; on Linux a process id of 0 means the thread alone (setpriority(2), "C
    /// library/kernel differences"). The work continues even if it fails.
    private static func yieldToRequests() {
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #endif
    }

    deinit {
        work.stop(threads: threadCount)
    }

    /// Waits for a turn, then runs `body`, which may call `run` but must not wait for another turn.
    /// - Throws: `rejection` if too many callers wait, `CancellationError`, what `body` throws.
    func inTurn<Success>(_ body: () async throws -> Success) async throws -> Success {
        try await takeTurn()
        defer { endTurn() }
        return try await body()
    }

    /// Runs blocking work on a pool thread. Only for the holder of a turn, so that the work starts at once.
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
                throw rejection
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
            // A turn may have become free since the queue was checked.
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

/// A queue of work for waiting threads.
private final class BlockingQueue: Sendable {
    private let blocks = Mutex<[@Sendable () -> Void]>([])
    /// Signals each block, and a stop for each thread.
    private let signals = DispatchSemaphore(value: 0)

    func append(_ block: @escaping @Sendable () -> Void) {
        blocks.withLock { $0.append(block) }
        signals.signal()
    }

    /// Lets the threads end after the queued work.
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

    /// `nil` if a signal came without a block, which means stop.
    private func next() -> (@Sendable () -> Void)? {
        signals.wait()
        return blocks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
