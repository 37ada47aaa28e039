package import Domain
package import Foundation

/// Runs the jobs of one kind.
///
/// A job runs at least once: a worker may crash after the work and before recording it, and a lease may expire during a
/// slow handler. A handler is therefore idempotent, or records its progress with its work. It honours cancellation,
/// which means that its deadline has passed, its lease is lost or the worker stops; a handler that does not occupies
/// its slot.
///
/// `Logger.current` carries the job's id, kind and attempt while it runs.
package protocol JobHandler: Sendable {
    /// The `Job.kind` it runs.
    var kind: String { get }
    /// Attempts until the job is `dead`, including those whose worker crashed.
    var maximumAttempts: Int { get }
    /// How long after `Job.since` a failed job is tried again; then it is `dead`, however few attempts it had. `nil` if
    /// only their number matters. A wrong setting gets at least `JobError.settingsPatience`.
    var patience: Duration? { get }
    /// Maximum duration of one attempt, which is then cancelled and fails.
    var deadline: Duration { get }
    /// Whether a finished job is removed immediately instead of being kept as `done`: for payloads with data that must
    /// not be kept.
    var isDeletedWhenDone: Bool { get }
    /// Whether the duration of an attempt is recorded, in the metrics and as a span.
    var isTimed: Bool { get }

    /// Performs the work.
    /// - Throws: `JobError` to choose what happens next. `AppError` is classified by its code; other errors are
    ///   retried.
    func run(_ context: JobContext) async throws
}

extension JobHandler {
    /// With the standard `RetryPolicy`, the attempts span up to ten minutes.
    package var maximumAttempts: Int { 8 }
    /// Without an end before the last attempt.
    package var patience: Duration? { nil }
    /// Finished jobs are kept for a while, for operators and for their dedupe key.
    package var isDeletedWhenDone: Bool { false }
    /// True unless the duration would reveal something about members.
    package var isTimed: Bool { true }
}

/// One attempt at a job, as seen by its handler.
package struct JobContext: Sendable {
    /// The job, including this attempt in its count.
    package let job: Job
    /// When the attempt began; an operator may have chosen it (`Worker --once --now`).
    package let now: Date

    /// Starts an attempt at `now`.
    package init(job: Job, now: Date) {
        self.job = job
        self.now = now
    }

    /// The payload, decoded.
    /// - Throws: `JobError.unreadablePayload`, which makes the job `dead`: no further attempt could decode it.
    package func parameters<Parameters: Decodable>(as type: Parameters.Type) throws(JobError) -> Parameters {
        do {
            return try JSONDecoder().decode(type, from: Data(job.payload.utf8))
        } catch {
            // The decoder's own message may quote the payload, so it is dropped.
            throw .unreadablePayload
        }
    }
}
