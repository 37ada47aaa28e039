import Foundation

/// Threads of our own for calls that block, with one queue, first come first served.
///
/// `@unchecked Sendable`: every variable is touched only while `condition` is locked; jobs are `Sendable`.
final class ThreadPool: @unchecked Sendable {
    /// Work, and what to do instead if it is not started.
    struct Job: Sendable {
        let work: @Sendable () -> Void
        let refuse: @Sendable (MongoError) -> Void
        let deadline: ContinuousClock.Instant
    }

    private let condition = NSCondition()
    private let limit: Int
    private let waitLimit: Duration
    private var queue: [Job] = []
    /// Position in `queue` of the next job: removing from an array's front would move all the others.
    private var next = 0
    private var isClosed = false
    private var running: Int

    /// - Parameter name: at most 12 bytes, for the kernel takes no thread's name of more than 15, and a number follows.
    init(name: String, count: Int, queueLimit: Int, waitLimit: Duration) {
        limit = queueLimit
        self.waitLimit = waitLimit
        running = count
        for index in 0..<count {
            let thread = Thread { self.work() }
            thread.start()
            // Not before, or the kernel does not learn it: `top -H` shows who is busy.
            thread.name = "\(name)-\(index)"
        }
    }

    /// Queues work. Exactly one of the two closures is called, once, on a thread of the pool or on the caller's.
    func submit(work: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (MongoError) -> Void) {
        if let refusal = offer(work: work, refuse: refuse) { refuse(refusal) }
    }

    /// The same for callers who do something else if the pool cannot take the work.
    /// - Returns: why it cannot; then neither closure is called.
    func offer(
        work: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (MongoError) -> Void
    ) -> MongoError? {
        let job = Job(work: work, refuse: refuse, deadline: .now + waitLimit)
        condition.lock()
        defer { condition.unlock() }
        if isClosed { return MongoError(.unreachable, "The client is closed") }
        if queue.count - next >= limit { return MongoError(.unreachable, "Too many calls wait for the database") }
        queue.append(job)
        condition.signal()
        return nil
    }

    /// Lets the threads end after what is queued; does not wait for them.
    func stop() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until every thread has ended. Never from one of them.
    func join() {
        condition.lock()
        while running > 0 { condition.wait() }
        condition.unlock()
    }

    /// Keeps the pool alive until `stop`: that is why the owner's `deinit` calls it.
    private func work() {
        while let job = take() {
            if ContinuousClock.now > job.deadline {
                job.refuse(MongoError(.unreachable, "No thread became free in time"))
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
        // Half of the array is spent: moving the rest costs as much as was saved, once in as many jobs.
        if next * 2 >= queue.count {
            queue.removeFirst(next)
            next = 0
        }
        return job
    }
}
