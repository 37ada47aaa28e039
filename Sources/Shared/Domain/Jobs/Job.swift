package import Foundation

/// Work that a worker performs at least once, even if processes crash on the way.
package struct Job: Hashable, Sendable {
    /// Identifies a job.
    package typealias ID = Identifier<Job>

    /// The stages of a job.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// Waits for `runAt`.
        case ready
        /// Held by a worker until `leaseUntil`.
        case leased
        /// Finished.
        case done
        /// Failed permanently or on its last attempt; visible and restartable.
        case dead
    }

    /// Stays the same over all attempts.
    package let id: ID
    /// Selects the handler.
    package let kind: String
    /// The handler's parameters as JSON. Never a token or a secret.
    package let payload: String
    /// Unique among all stored jobs: a second job with the same key is not stored.
    package let dedupeKey: String?
    /// Its present stage.
    package var state: State
    /// The job does not run before this instant.
    package var runAt: Date
    /// When it was due for the first time, or after an operator restarted it. Its handler's patience starts here.
    package let since: Date
    /// Number of attempts started.
    package var attempts: Int
    /// The worker that holds the job.
    package var leaseOwner: String?
    /// When the lease ends unless a heartbeat extends it.
    package var leaseUntil: Date?
    /// Why the last attempt failed, for operators; no personal value.
    package var lastError: String?

    /// By default a ready job without attempts, which is due for the first time.
    package init(
        id: ID = .random(), kind: String, payload: String = "{}", dedupeKey: String? = nil, state: State = .ready,
        runAt: Date, since: Date? = nil, attempts: Int = 0, leaseOwner: String? = nil, leaseUntil: Date? = nil,
        lastError: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.payload = payload
        self.dedupeKey = dedupeKey
        self.state = state
        self.runAt = runAt
        self.since = since ?? runAt
        self.attempts = attempts
        self.leaseOwner = leaseOwner
        self.leaseUntil = leaseUntil
        self.lastError = lastError
    }
}
