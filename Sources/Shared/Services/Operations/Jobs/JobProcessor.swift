package import Domain
package import Foundation
package import Logging
package import Metrics
package import Ports
import ServiceLifecycle
package import Storage

/// Leases due jobs from the store and runs several concurrently. Any number of processors may share one store.
///
/// Everything runs in one task group: attempts, the pauses between polls, and the wait for the shutdown signal. So
/// nothing outlives `run`, and cancelling it releases the running jobs.
package struct JobProcessor: Service {
    let jobs: any JobStore
    let handlers: [String: any JobHandler]
    let schedule: Schedule
    /// Asked before scheduled jobs are enqueued and run. They close, delete and send what is due by the clock, so they
    /// wait while it is doubtful. If it is far ahead, all jobs wait: they would be given up for being late, or be tried
    /// again in weeks.
    let timing: SprintTiming
    let options: Options
    let retry: RetryPolicy
    let clock: WallClock
    let timer: any Clock<Duration>
    let random: @Sendable () -> Double
    let metrics: JobMetrics
    let spans: SpanRecorder?
    let logger: Logger
    /// The owner of leases: unique per processor, so that two in one process do not share leases.
    let owner: String

    /// Parallelism and times.
    package struct Options: Sendable {
        /// Maximum number of concurrent jobs.
        package var parallelism = 4
        /// How long a worker keeps a job without a heartbeat.
        package var lease = Duration.seconds(30)
        /// Time between heartbeats: two may fail before the lease expires.
        package var heartbeat = Duration.seconds(10)
        /// Time between polls when nothing is due; varied by up to a quarter, so that workers do not poll in step.
        package var poll = Duration.seconds(1)
        /// How long running jobs may continue after the shutdown signal, within the 20 s that `Worker` allows.
        package var grace = Duration.seconds(15)
        /// Time between two readings of the queue's gauges.
        package var count = Duration.seconds(15)

        /// Takes the default times.
        package init() {}
    }

    /// Help texts of the processor's metrics, by name.
    package static let metricsHelp = JobMetrics.help

    /// - Parameters:
    ///   - handlers: at most one per kind; otherwise the last one is used.
    ///   - timing: whether jobs may run by the clock.
    ///   - clock: determines what is due, and until when leases last.
    ///   - timer: for pauses, heartbeats and deadlines.
    ///   - random: uniform in 0..<1, for jitter.
    ///   - spans: gets a span for each attempt; `nil` if no traces are exported.
    package init(
        jobs: any JobStore, handlers: [any JobHandler], schedule: Schedule = Schedule([]),
        timing: SprintTiming = .trusted,
        options: Options = Options(), retry: RetryPolicy = .standard, clock: WallClock = .system,
        timer: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, spans: SpanRecorder? = nil, logger: Logger
    ) {
        self.jobs = jobs
        self.handlers = Dictionary(handlers.map { ($0.kind, $0) }, uniquingKeysWith: { $1 })
        self.schedule = schedule
        self.timing = timing
        self.options = options
        self.retry = retry
        self.clock = clock
        self.timer = timer
        self.random = random
        self.metrics = JobMetrics(factory: metrics)
        self.spans = spans
        self.logger = logger
        self.owner = Identifier<JobProcessor>.random().description
    }

    private enum Event {
        case attemptEnded
        case pauseEnded
        case stopRequested
        case graceEnded
    }

    /// Runs until the shutdown signal, then takes no further jobs, lets running ones continue for `Options.grace`, and
    /// releases those that are not finished. An unavailable store does not end it.
    package func run() async {
        logger.info("Job processor started", metadata: ["jobs.parallelism": "\(options.parallelism)"])
        await withTaskGroup(of: Event.self) { group in
            var queue = QueueState()
            var running = 0
            var isPausing = false
            var isStopping = false
            group.addTask { await stopRequest() }
            while !(isStopping && running == 0) {
                if !isStopping, !isPausing, running < options.parallelism {
                    let pause = await startDueJobs(in: &group, running: &running, queue: &queue)
                    if let pause {
                        isPausing = true
                        group.addTask {
                            _ = await self.pause(pause)
                            return .pauseEnded
                        }
                    }
                }
                switch await group.next() {
                case .attemptEnded: running -= 1
                case .pauseEnded: isPausing = false
                case .stopRequested:
                    isStopping = true
                    logger.info("Job processor stops", metadata: ["jobs.running": "\(running)"])
                    group.addTask {
                        _ = await self.pause(options.grace)
                        return .graceEnded
                    }
                case .graceEnded: group.cancelAll()
                case nil: isStopping = true
                }
            }
            group.cancelAll()
        }
        logger.info("Job processor stopped")
    }

    /// Runs everything due at `instant`, including scheduled jobs if `timing` permits, and returns. A failed job waits for
    /// a later run.
    /// Cancellation releases the running jobs.
    /// - Returns: number of attempts.
    /// - Throws: `StorageError.unavailable`, or `CancellationError`.
    package func runDueOnce(at instant: Date) async throws -> Int {
        let begun = clock.now
        // Advances from `instant`, so that leases and waits have their proper length.
        let pretended = WallClock { [clock] in instant + clock.now.timeIntervalSince(begun) }
        let occasions = schedule.occasions(at: instant)
        let heldAtFirst = try await occasions.isEmpty ? HeldJobs.none : heldJobs(at: instant)
        if heldAtFirst == .none {
            for job in occasions { _ = try await jobs.enqueue(job) }
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            var attempts = 0
            var running = 0
            var held = heldAtFirst
            while true {
                try Task.checkCancellation()
                if running < options.parallelism,
                    let attempt = try await lease(at: instant, clock: pretended, held: &held)
                {
                    attempts += 1
                    running += 1
                    group.addTask { await attempt.run() }
                } else if try await group.next() != nil {
                    running -= 1
                } else {
                    return attempts
                }
            }
        }
    }

    /// Waits for `duration`.
    /// - Returns: false if the task was cancelled first.
    func pause(_ duration: Duration) async -> Bool {
        do {
            try await timer.sleep(for: duration)
            return true
        } catch {
            // A clock only throws on cancellation.
            return false
        }
    }

    private func stopRequest() async -> Event {
        do {
            try await gracefulShutdown()
        } catch {
            logger.debug("Job processor was cancelled")
        }
        return .stopRequested
    }
}

// MARK: - The queue

extension JobProcessor {
    /// The jobs that wait because the clock is doubtful.
    private enum HeldJobs {
        case none
        case scheduled
        case all
    }

    private func heldJobs(at instant: Date) async throws -> HeldJobs {
        if try await timing.permits(at: instant) { return .none }
        return try await timing.isFarAhead() ? .all : .scheduled
    }

    /// State kept between polls.
    private struct QueueState {
        /// Keys of the latest occasions already enqueued.
        var enqueued: Set<String> = []
        /// As of the latest look at the clock: whenever there is an occasion, which a jump of the clock brings.
        var held = HeldJobs.none
        /// Number of consecutive failed polls.
        var failures = 0
        /// When the gauges were last read.
        var counted = Date.distantPast
    }

    /// Starts jobs in the free slots.
    /// - Returns: the delay until the next poll; `nil` if no slot is free.
    private func startDueJobs(
        in group: inout TaskGroup<Event>, running: inout Int, queue: inout QueueState
    ) async -> Duration? {
        do {
            try await enqueueOccasions(&queue)
            try await countQueue(&queue)
            while running < options.parallelism {
                guard !Task.isShuttingDownGracefully, !Task.isCancelled,
                    let attempt = try await lease(at: clock.now, clock: clock, held: &queue.held)
                else {
                    noteStore(&queue, failed: nil)
                    return options.poll * (0.75 + 0.5 * random())
                }
                running += 1
                group.addTask {
                    await attempt.run()
                    return .attemptEnded
                }
            }
            noteStore(&queue, failed: nil)
            return nil
        } catch {
            noteStore(&queue, failed: error)
            return RetryPolicy.storeOutage.delay(afterAttempt: queue.failures, random: random())
        }
    }

    /// Logs once that the store is unavailable, and once that it is back.
    private func noteStore(_ queue: inout QueueState, failed error: (any Error)?) {
        if let error {
            queue.failures += 1
            guard queue.failures == 1, !Task.isCancelled else { return }
            logger.error("Jobs cannot be read; retrying", metadata: ["error": "\(JobError(error).message)"])
        } else if queue.failures > 0 {
            logger.notice("Jobs can be read again", metadata: ["jobs.failed_looks": "\(queue.failures)"])
            queue.failures = 0
        }
    }

    private func enqueueOccasions(_ queue: inout QueueState) async throws {
        let now = clock.now
        let occasions = schedule.occasions(at: now)
        let new = occasions.filter { !queue.enqueued.contains($0.dedupeKey ?? "") }
        guard queue.held != .none || !new.isEmpty else { return }
        queue.held = try await heldJobs(at: now)
        guard queue.held == .none else { return }
        for job in new { _ = try await jobs.enqueue(job) }
        queue.enqueued = Set(occasions.compactMap(\.dedupeKey))
    }

    private func countQueue(_ queue: inout QueueState) async throws {
        let now = clock.now
        guard now.timeIntervalSince(queue.counted) >= options.count.timeInterval else { return }
        let oldest = try await jobs.list(state: .ready, limit: 1).first
        metrics.queueCounted(
            ready: try await jobs.count(state: .ready), dead: try await jobs.count(state: .dead),
            oldestDueSeconds: oldest.map { max(0, now.timeIntervalSince($0.runAt)) } ?? 0)
        queue.counted = now
    }

    /// - Parameters:
    ///   - now: decides what is due.
    ///   - clock: determines the end of the lease.
    ///   - held: the jobs that are left in the queue; set if that changes.
    private func lease(at now: Date, clock: WallClock, held: inout HeldJobs) async throws -> JobAttempt? {
        let begun = clock.now
        let until = begun + options.lease.timeInterval
        let scheduled = Set(schedule.entries.map(\.kind))
        let kinds: [String] =
            switch held {
            case .none: handlers.keys.sorted()
            case .scheduled: handlers.keys.filter { !scheduled.contains($0) }.sorted()
            case .all: []
            }
        guard !kinds.isEmpty else { return nil }
        guard let job = try await jobs.lease(kinds: kinds, owner: owner, at: now, until: until),
            let handler = handlers[job.kind]
        else { return nil }
        guard scheduled.contains(job.kind) else {
            return JobAttempt(job: job, handler: handler, processor: self, clock: clock, begun: nil)
        }
        held = try await heldJobs(at: begun)
        guard held == .none else {
            // It was enqueued before the clock was set.
            _ = try await jobs.release(id: job.id, owner: owner, runAt: job.runAt, error: nil)
            return try await lease(at: now, clock: clock, held: &held)
        }
        return JobAttempt(job: job, handler: handler, processor: self, clock: clock, begun: begun)
    }
}

extension JobProcessor: CustomStringConvertible {
    /// The name only. A service group logs its services when it starts and stops, and Swift's default description
    /// contains everything the handlers hold: settings, keys, a quarter of a megabyte of templates.
    package var description: String { "JobProcessor" }
}
