import Ports

/// Why an attempt failed.
struct S3Failure: Error, Equatable {
    /// The error for operators.
    let error: ObjectStoreError
    /// Whether a retry within seconds may succeed.
    let isPassing: Bool
    /// The minimum wait that the store asked for.
    let retryAfter: Duration?

    /// A retry may succeed.
    static func passing(_ text: String, retryAfter: Duration? = nil) -> S3Failure {
        S3Failure(error: .unavailable(text), isPassing: true, retryAfter: retryAfter)
    }

    /// Will not be over within seconds.
    static func lasting(_ text: String) -> S3Failure {
        S3Failure(error: .unavailable(text), isPassing: false, retryAfter: nil)
    }

    /// The operator must correct the settings.
    static func misconfigured(_ text: String) -> S3Failure {
        S3Failure(error: .misconfigured(text), isPassing: false, retryAfter: nil)
    }
}
