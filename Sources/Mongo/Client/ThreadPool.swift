import Foundation

/// Dedicated threads for blocking calls, with a single first-in, first-out queue.
///
/// `@unchecked Sendable`: every variable is accessed only while `condition` is locked; jobs are `Sendable`.
final class ThreadPool: @unchecked Sendable {
    /// The work, and the fallback if it cannot start.
    struct Job: Sendable {
        let work: @Sendable () -> Void
        let reject: @Sendable (MongoError) -> Void
        let deadline: ContinuousClock.Instant
    }

    private let condition = NSCondition()
    private let limit: Int
    private let waitLimit: Duration
    private var queue: [Job] = []
    /// Position of the next job in `queue`: removing from the front of an array would move all other jobs.
    private var next = 0
    private var isClosed = false
    private var running: Int

    /// - Parameter name: at most 12 bytes. The kernel limits thread names to 15 bytes, and a number is appended.
    init(name: String, count: Int, queueLimit: Int, waitLimit: Duration) {
        limit = queueLimit
        self.waitLimit = waitLimit
        running = count
        for index in 0..<count {
            let thread = Thread { self.work() }
            thread.start()
            // Set from within the thread, or the kernel does not see the name. It lets `top -H` show which pool is
            // busy.
            thread.name = "\(name)-\(index)"
        }
    }

    /// Queues work. Exactly one of the two closures is called, once, on a pool thread or on the caller's thread.
    func submit(work: @escaping @Sendable () -> Void, reject: @escaping @Sendable (MongoError) -> Void) {
        if let rejection = offer(work: work, reject: reject) { reject(rejection) }
    }

    /// Like `submit`, for callers with an alternative if the pool cannot take the work.
    /// - Returns: the reason the pool cannot take it, in which case neither closure is called.
    func offer(
        work: @escaping @Sendable () -> Void, reject: @escaping @Sendable (MongoError) -> Void
    ) -> MongoError? {
        let job = Job(work: work, reject: reject, deadline: .now + waitLimit)
        condition.lock()
        defer { condition.unlock() }
        if isClosed { return MongoError(.unreachable, "The client is closed") }
        if queue.count - next >= limit { return MongoError(.unreachable, "Too many calls wait for the database") }
        queue.append(job)
        condition.signal()
        return nil
    }

    /// Lets the threads end after the queued work; does not wait for them.
    func stop() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until every thread has ended. Never call it from one of them.
    func join() {
        condition.lock()
        while running > 0 { condition.wait() }
        condition.unlock()
    }

    /// Keeps the pool alive until `stop`, which the owner's `deinit` therefore calls.
    private func work() {
        while let job = take() {
            if ContinuousClock.now > job.deadline {
                job.reject(MongoError(.unreachable, "No thread became free in time"))
            } else {
                job.work()
            }
        }
        condition.lock()
        running -= 1
        condition.broadcast()
        condition.unlock()
    }

    private func take() -> Job? {
        condition.lock()
        defer { condition.unlock() }
        while next == queue.count {
            if isClosed { return nil }
            condition.wait()
        }
        let job = queue[next]
        next += 1
        // Half of the array is used up. Moving the rest once per that many jobs is cheap.
        if next * 2 >= queue.count {
            queue.removeFirst(next)
            next = 0
        }
        return job
    }
}
