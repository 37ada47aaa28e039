public import Logging

/// Why an attempt at a job failed. The words are kept in `Job.lastError` and shown to operators, so a case carries
/// none that came from outside: no address, no name, no driver's or vendor's text.
public enum JobError: Error, Equatable, Sendable {
    /// Something the job needs is away or failing; `retryAfter` is how long it asked to be left alone.
    case unavailable(String, retryAfter: Duration? = nil)
    /// Refused for good: another attempt would be refused too.
    case refused(String)
    /// The payload is not what the handler reads.
    case unreadablePayload
    /// Cut at the handler's deadline.
    case tookTooLong(Duration)
    /// Workers died or lost their leases over it until the attempts were used up.
    case abandoned
    /// Something nobody foresaw; only the name of its type is kept.
    case unexpected(typeName: String)

    /// What becomes of the job.
    public enum Fate: Equatable, Sendable {
        /// Tried again by the `RetryPolicy`, not before `retryAfter` has passed; `dead` after the last attempt.
        case retry(after: Duration?)
        /// `dead` at once.
        case permanent
    }

    /// Turns what a handler threw into what is known about it.
    public init(_ error: any Error) {
        switch error {
        case let error as JobError: self = error
        case let error as AppError: self.init(error)
        case let error as MailError: self.init(error)
        // Settings may be mended, and the job is then still wanted.
        case ObjectStoreError.unavailable(let words), ObjectStoreError.misconfigured(let words):
            self = .unavailable(words)
        default: self = .unexpected(typeName: String(reflecting: type(of: error)))
        }
    }

    private init(_ error: AppError) {
        switch error.code {
        case .unavailable, .tooManyRequests, .tooSlow:
            self = .unavailable(error.reason, retryAfter: error.retryAfter.map { .seconds($0) })
        case .malformed, .unauthenticated, .forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType, .refused:
            self = .refused(error.reason)
        }
    }

    /// What becomes of the job.
    public var fate: Fate {
        switch self {
        case .unavailable(_, let retryAfter): .retry(after: retryAfter)
        case .tookTooLong, .unexpected: .retry(after: nil)
        case .refused, .unreadablePayload, .abandoned: .permanent
        }
    }

    /// How loudly it is logged: what mends itself is a warning, what needs somebody an error.
    public var level: Logger.Level {
        switch self {
        case .unavailable, .tookTooLong: .warning
        case .refused, .unreadablePayload, .abandoned, .unexpected: .error
        }
    }

    /// One line for operators, without personal values.
    public var message: String {
        switch self {
        case .unavailable(let what, _): "unavailable: \(what)"
        case .refused(let why): "refused: \(why)"
        case .unreadablePayload: "the payload cannot be read"
        case .tookTooLong(let deadline): "cut at its deadline of \(deadline.components.seconds) s"
        case .abandoned: "every attempt ended with its worker or its lease"
        case .unexpected(let typeName): "unexpected error of type \(typeName)"
        }
    }
}
