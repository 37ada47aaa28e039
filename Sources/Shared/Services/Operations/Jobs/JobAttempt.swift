import Domain
import Foundation
import Logging
import Ports
import Storage

/// Runs one leased job: renews the lease, enforces the deadline, and records the outcome.
struct JobAttempt: Sendable {
    let job: Job
    let handler: any JobHandler
    let processor: JobProcessor
    /// The clock for leases and retries.
    let clock: WallClock
    /// The time for the handler of a scheduled job: the one that was checked, since the clock may be set before the
    /// handler starts. `nil` means the clock's.
    let begun: Date?

    /// A reason for which the handler was cancelled.
    private enum Interruption {
        case deadline
        case leaseLost
        case stopped
    }

    private enum Event {
        case handlerEnded(JobError?)
        case interrupted(Interruption)
    }

    /// Runs the handler and records the outcome. Cancelling the surrounding task releases the job.
    func run() async {
        var logger = processor.logger
        logger[metadataKey: "job.id"] = "\(job.id)"
        logger[metadataKey: "job.kind"] = "\(job.kind)"
        logger[metadataKey: "job.attempt"] = "\(job.attempts)"
        await withLogger(logger) { _ in
            let begun = clock.now
            let outcome = await end()
            let seconds = handler.isTimed ? max(0, clock.now.timeIntervalSince(begun)) : nil
            processor.metrics.attemptEnded(kind: job.kind, outcome: outcome, seconds: seconds)
            if let seconds { recordSpan(outcome: outcome, seconds: seconds) }
        }
    }

    /// Tells the kind and the outcome, as the metrics do. If they leave out the duration of a job, it has no span.
    private func recordSpan(outcome: JobMetrics.Outcome, seconds: TimeInterval) {
        processor.spans?.record(
            job.kind, kind: .internal,
            attributes: ["job.kind": .text(job.kind), "job.outcome": .text(outcome.rawValue)],
            hasFailed: outcome == .dead || outcome == .retried, duration: .seconds(seconds))
    }

    private func end() async -> JobMetrics.Outcome {
        // Taking a lease counts as an attempt: a job that crashes its worker must not be retried forever.
        guard job.attempts <= handler.maximumAttempts else { return await markDead(.abandoned) }
        let (interruption, failure) = await runHandler()
        // A handler that returned has done its work, whatever happened in the meantime.
        guard let failure else {
            return await finish(as: .done) {
                handler.isDeletedWhenDone
                    ? try await processor.jobs.delete(id: job.id, owner: processor.owner)
                    : try await processor.jobs.complete(id: job.id, owner: processor.owner)
            }
        }
        switch interruption {
        case .leaseLost:
            Logger.current.warning("Job lost its lease; another worker continues")
            return .lost
        case .stopped: return await release()
        case .deadline: return await fail(.tookTooLong(handler.deadline))
        case nil: return await fail(failure)
        }
    }

    private func runHandler() async -> (Interruption?, JobError?) {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { .handlerEnded(await failureOfHandler()) }
            group.addTask { .interrupted(await processor.pause(handler.deadline) ? .deadline : .stopped) }
            group.addTask { .interrupted(await keepLease()) }
            var interruption: Interruption?
            var failure: JobError?
            events: for await event in group {
                switch event {
                case .handlerEnded(let error):
                    failure = error
                    break events
                case .interrupted(let reason):
                    interruption = interruption ?? reason
                    group.cancelAll()
                }
            }
            group.cancelAll()
            // The handler may have noticed the cancellation before the two tasks that watch over it.
            return (interruption ?? (Task.isCancelled ? .stopped : nil), failure)
        }
    }

    private func failureOfHandler() async -> JobError? {
        do {
            try await handler.run(JobContext(job: job, now: begun ?? clock.now))
            return nil
        } catch {
            return JobError(error)
        }
    }

    /// Sends heartbeats until the lease is lost or the task is cancelled.
    private func keepLease() async -> Interruption {
        var leaseUntil = job.leaseUntil ?? clock.now
        while await processor.pause(processor.options.heartbeat) {
            let next = clock.now + processor.options.lease.timeInterval
            do {
                guard try await processor.jobs.extend(id: job.id, owner: processor.owner, until: next) else {
                    return .leaseLost
                }
                leaseUntil = next
            } catch {
                Logger.current.debug(
                    "Heartbeat failed", metadata: ["error": "\(JobError(error).message)"])
                // No other worker can take the job before the lease ends.
                if clock.now >= leaseUntil { return .leaseLost }
            }
        }
        return .stopped
    }

    private func fail(_ error: JobError) async -> JobMetrics.Outcome {
        switch error.retry {
        case .never: return await markDead(error)
        case .after where job.attempts >= handler.maximumAttempts || clock.now >= end(after: error):
            return await markDead(error)
        case .after(let retryAfter):
            let delay = processor.retry.delay(
                afterAttempt: job.attempts, retryAfter: retryAfter, random: processor.random())
            // The last attempt is at the end, unless the service asked for a longer wait.
            let wanted = clock.now + delay.timeInterval
            let runAt = retryAfter == nil ? min(wanted, end(after: error)) : wanted
            Logger.current.log(
                level: error.level, "Job failed and will be tried again",
                metadata: ["error": "\(error.message)", "job.run_at": "\(runAt.formatted(.iso8601))"])
            return await finish(as: .retried) {
                try await processor.jobs.release(
                    id: job.id, owner: processor.owner, runAt: runAt, error: error.message)
            }
        }
    }

    /// When the handler's patience ends.
    private func end(after error: JobError) -> Date {
        guard let patience = handler.patience else { return .distantFuture }
        guard case .misconfigured = error else { return job.since + patience.timeInterval }
        return job.since + max(patience, JobError.settingsPatience).timeInterval
    }

    private func markDead(_ error: JobError) async -> JobMetrics.Outcome {
        Logger.current.error("Job was given up", metadata: ["error": "\(error.message)"])
        return await finish(as: .dead) {
            try await processor.jobs.markDead(id: job.id, owner: processor.owner, error: error.message)
        }
    }

    private func release() async -> JobMetrics.Outcome {
        Logger.current.notice("Job was given back, since this worker stops")
        let runAt = clock.now
        return await finish(as: .givenBack) {
            try await processor.jobs.release(id: job.id, owner: processor.owner, runAt: runAt, error: nil)
        }
    }

    /// Records the outcome, and retries while the store is unavailable and the lease may last.
    private func finish(
        as outcome: JobMetrics.Outcome, _ record: @escaping @Sendable () async throws -> Bool
    ) async -> JobMetrics.Outcome {
        let lastChance = clock.now + processor.options.lease.timeInterval
        var failures = 0
        while true {
            // Unstructured, because the cancellation that causes the release must not reach it; the store's own
            // time-outs limit its duration.
            switch await Task(operation: record).result {
            case .success(true): return outcome
            case .success(false):
                Logger.current.warning("Job ended after its lease; another worker has it")
                return .lost
            case .failure(let error):
                failures += 1
                let wait = RetryPolicy.storeOutage.delay(afterAttempt: failures, random: processor.random())
                guard clock.now + wait.timeInterval < lastChance, await processor.pause(wait) else {
                    Logger.current.error(
                        "Job's outcome could not be stored; it will run again",
                        metadata: ["job.outcome": "\(outcome.rawValue)", "error": "\(JobError(error).message)"])
                    return .lost
                }
            }
        }
    }
}
