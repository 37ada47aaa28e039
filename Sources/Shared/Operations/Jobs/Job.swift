public import Foundation

/// Work that is done by a worker, at least once, however many processes die over it.
public struct Job: Hashable, Sendable {
    /// A job's identity.
    public typealias ID = Identifier<Job>

    /// Where a job is in its life.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Waits for `runAt`.
        case ready
        /// A worker has it until `leaseUntil`.
        case leased
        /// Finished.
        case done
        /// Given up after the last attempt or a permanent refusal; visible and restartable.
        case dead
    }

    /// The job's identity.
    public let id: ID
    /// Which handler runs it.
    public let kind: String
    /// The handler's parameters, JSON. Never a token or a secret.
    public let payload: String
    /// Unique among all jobs while they are kept: a second job of the same key is not stored.
    public let dedupeKey: String?
    /// Where it is in its life.
    public var state: State
    /// Not before this instant.
    public var runAt: Date
    /// Attempts begun.
    public var attempts: Int
    /// The worker that has it.
    public var leaseOwner: String?
    /// When the lease ends unless a heartbeat moves it.
    public var leaseUntil: Date?
    /// Why the last attempt failed, for operators; no personal value.
    public var lastError: String?

    /// A job to be stored.
    public init(
        id: ID = .random(), kind: String, payload: String = "{}", dedupeKey: String? = nil, state: State = .ready,
        runAt: Date, attempts: Int = 0, leaseOwner: String? = nil, leaseUntil: Date? = nil, lastError: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.payload = payload
        self.dedupeKey = dedupeKey
        self.state = state
        self.runAt = runAt
        self.attempts = attempts
        self.leaseOwner = leaseOwner
        self.leaseUntil = leaseUntil
        self.lastError = lastError
    }
}
