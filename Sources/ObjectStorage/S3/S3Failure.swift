import Shared

/// Why one attempt did not do it.
struct S3Failure: Error, Equatable {
    /// In words for operators.
    let error: ObjectStoreError
    /// Whether another attempt, soon, may do it.
    let isPassing: Bool
    /// The least wait before it that the store asked for.
    let retryAfter: Duration?

    /// Worth another attempt.
    static func passing(_ text: String, retryAfter: Duration? = nil) -> S3Failure {
        S3Failure(error: .unavailable(text), isPassing: true, retryAfter: retryAfter)
    }

    /// Not over within seconds.
    static func lasting(_ text: String) -> S3Failure {
        S3Failure(error: .unavailable(text), isPassing: false, retryAfter: nil)
    }

    /// Somebody has to mend the settings.
    static func misconfigured(_ text: String) -> S3Failure {
        S3Failure(error: .misconfigured(text), isPassing: false, retryAfter: nil)
    }
}
