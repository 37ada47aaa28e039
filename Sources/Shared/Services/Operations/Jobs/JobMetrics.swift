import Foundation
import Metrics

/// Job metrics by kind and outcome, never by job.
struct JobMetrics: Sendable {
    let factory: any MetricsFactory

    /// How an attempt ended.
    enum Outcome: String, CaseIterable {
        /// The work is done.
        case done
        /// Failed and will be retried.
        case retried
        /// Failed for the last time.
        case dead
        /// Released because the worker stops.
        case givenBack = "given_back"
        /// The lease was lost: another worker has it.
        case lost
    }

    /// Counts one attempt.
    /// - Parameter seconds: `nil` if the duration must not be recorded.
    func attemptEnded(kind: String, outcome: Outcome, seconds: TimeInterval?) {
        let dimensions = [("kind", kind), ("outcome", outcome.rawValue)]
        Counter(label: "jobs", dimensions: dimensions, factory: factory).increment()
        guard let seconds else { return }
        Metrics.Timer(label: "job_duration", dimensions: [("kind", kind)], factory: factory).recordSeconds(seconds)
    }

    /// Sets the queue's gauges.
    /// - Parameter oldestDueSeconds: how long the first job of the queue has been due; 0 if none is.
    func queueCounted(ready: Int, dead: Int, oldestDueSeconds: TimeInterval) {
        Gauge(label: "jobs_ready", dimensions: [], factory: factory).record(ready)
        Gauge(label: "jobs_dead", dimensions: [], factory: factory).record(dead)
        Gauge(label: "jobs_oldest_due_seconds", dimensions: [], factory: factory).record(oldestDueSeconds)
    }

    /// Help texts of the metrics above, by name.
    static let help = [
        "jobs_total": "Attempts at jobs by kind and outcome.",
        "job_duration_seconds": "Time attempts at jobs took.",
        "jobs_ready": "Jobs that wait for their time or for a worker.",
        "jobs_dead": "Jobs that were given up and wait for an operator.",
        "jobs_oldest_due_seconds": "How long the job at the head of the queue has been due.",
    ]
}
