import Domain
import Foundation
package import Logging
import Ports
import Storage

/// An error of a feature that says what it means for the job in which it happened.
package protocol JobFailure: Error {
    /// The same error for the job.
    var jobError: JobError { get }
}

/// Why an attempt at a job failed. The message is kept in `Job.lastError` and shown to operators, so no case contains
/// text from outside: no address, no name, no text of a driver or vendor.
package enum JobError: Error, Equatable, Sendable {
    /// A required service is unavailable or failing; `retryAfter` is the delay it asked for.
    case unavailable(String, retryAfter: Duration? = nil)
    /// Rejected permanently: another attempt would fail too.
    case rejected(String)
    /// A setting is wrong, here or at a service. The job waits until an operator has corrected it.
    case misconfigured(String)
    /// The handler cannot decode the payload.
    case unreadablePayload
    /// Cancelled at the handler's deadline.
    case tookTooLong(Duration)
    /// Workers crashed or lost their leases until all attempts were used up.
    case abandoned
    /// An unexpected error; only the name of its type is kept.
    case unexpected(typeName: String)

    /// The next state of the job.
    package enum Retry: Equatable, Sendable {
        /// Retried by the `RetryPolicy`, not before `retryAfter` has passed; `dead` after the last attempt.
        case after(Duration?)
        /// `dead` immediately.
        case never
    }

    /// Beginning of the message of `misconfigured`, by which pages and commands find such jobs.
    package static let misconfiguredPrefix = "settings: "
    /// How long a job waits for a corrected setting at least, if its handler's `patience` is shorter.
    package static let settingsPatience = Duration.seconds(86_400)

    /// Classifies an error thrown by a handler.
    package init(_ error: any Error) {
        switch error {
        case let error as JobError: self = error
        case let error as any JobFailure: self = error.jobError
        // An operator may correct the settings, and then the job is still needed.
        case ObjectStoreError.unavailable(let words), ObjectStoreError.misconfigured(let words):
            self = .unavailable(words)
        case let error as any OperatorProblem: self = .unavailable(error.description)
        // Its description names teams.
        case is DamagedStore: self = .unavailable("the store is damaged: see HappinessAPI check")
        case let error as CocoaError where error.filePath != nil || error.url != nil:
            self = .unavailable(OperatorMessage.text(for: error))
        default:
            if let error = AppError(error) {
                self.init(error)
            } else {
                self = .unexpected(typeName: String(reflecting: type(of: error)))
            }
        }
    }

    private init(_ error: AppError) {
        switch error.code {
        case .unavailable, .tooManyRequests, .tooSlow:
            self = .unavailable(error.reason.rawValue, retryAfter: error.retryAfter.map { .seconds($0) })
        case .malformed, .unauthenticated, .forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType,
            .unprocessable:
            self = .rejected(error.reason.rawValue)
        }
    }

    /// The next state of the job.
    package var retry: Retry {
        switch self {
        case .unavailable(_, let retryAfter): .after(retryAfter)
        case .misconfigured, .tookTooLong, .unexpected: .after(nil)
        case .rejected, .unreadablePayload, .abandoned: .never
        }
    }

    /// The log level: a warning if a retry may succeed, an error if an operator must act.
    package var level: Logger.Level {
        switch self {
        case .unavailable, .tookTooLong: .warning
        case .rejected, .misconfigured, .unreadablePayload, .abandoned, .unexpected: .error
        }
    }

    /// One line for operators, without personal values.
    package var message: String {
        switch self {
        case .unavailable(let what, _): "unavailable: \(what)"
        case .rejected(let why): "refused: \(why)"
        case .misconfigured(let why): Self.misconfiguredPrefix + why
        case .unreadablePayload: "the payload cannot be read"
        case .tookTooLong(let deadline): "cut at its deadline of \(deadline.components.seconds) s"
        case .abandoned: "every attempt ended with its worker or its lease"
        case .unexpected(let typeName): "unexpected error of type \(typeName)"
        }
    }
}
