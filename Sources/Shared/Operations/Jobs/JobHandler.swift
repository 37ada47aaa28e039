public import Foundation

/// What does the jobs of one kind.
///
/// A job runs at least once: a worker may die after the work and before noting it, and a lease may end under a slow
/// handler. So a handler is idempotent, or notes its progress where it works. It honours cancellation, which tells it
/// that its deadline passed, its lease is lost or the worker stops; one that does not holds up its slot.
///
/// `Logger.current` carries the job's id, kind and attempt while it runs.
public protocol JobHandler: Sendable {
    /// The `Job.kind` it runs.
    var kind: String { get }
    /// Attempts until the job is `dead`, those whose worker died included.
    var maximumAttempts: Int { get }
    /// Longest time one attempt may take; then it is cancelled and counts as failed.
    var deadline: Duration { get }
    /// Whether a job that is done is removed at once instead of being kept as `done` for a while: its payload names what
    /// must not be there any more.
    var isErasedWhenDone: Bool { get }
    /// Whether the time an attempt takes goes into the metrics.
    var isTimed: Bool { get }

    /// Does the work.
    /// - Throws: `JobError` to choose what happens next. `AppError` is judged by its code; anything else is tried
    ///   again.
    func run(_ context: JobContext) async throws
}

extension JobHandler {
    /// With the standard `RetryPolicy` up to ten minutes pass from the first to the last.
    public var maximumAttempts: Int { 8 }
    /// What is done is kept for a while, for operators and for its dedupe key.
    public var isErasedWhenDone: Bool { false }
    /// Mostly; not where the time would tell something of people.
    public var isTimed: Bool { true }
}

/// One attempt at a job, as its handler sees it.
public struct JobContext: Sendable {
    /// The job, with this attempt counted.
    public let job: Job
    /// When the attempt began; an operator may have chosen it (`Worker --once --now`).
    public let now: Date

    /// An attempt that begins at `now`.
    public init(job: Job, now: Date) {
        self.job = job
        self.now = now
    }

    /// The payload, decoded.
    /// - Throws: `JobError.unreadablePayload`, which buries the job: no further attempt will read it.
    public func parameters<Parameters: Decodable>(as type: Parameters.Type) throws(JobError) -> Parameters {
        do {
            return try JSONDecoder().decode(type, from: Data(job.payload.utf8))
        } catch {
            // The decoder's own words may quote the payload, so they are left out.
            throw .unreadablePayload
        }
    }
}
