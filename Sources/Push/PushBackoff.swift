import Shared

/// How long a message waits before it is tried again: twice as long each time, with jitter, so that messages which
/// failed together do not come back together (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
struct PushBackoff: Sendable {
    /// Shortest wait; FCM asks for 10 s at least.
    static let base = Duration.seconds(10)
    /// No wait of our own is longer.
    static let cap = Duration.seconds(300)
    /// Longest `Retry-After` that is obeyed, so that no answer from outside can silence a service for ever.
    static let maximumRetryAfter = RetryPolicy.maximumRetryAfter

    /// The wait after `attempt` attempts failed.
    /// - Parameters:
    ///   - attempt: counted from 1.
    ///   - retryAfter: the least wait the service asked for; the jitter comes on top of it.
    ///   - random: uniform in 0..<1.
    static func delay(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration {
        let ceiling = RetryPolicy(base: base, cap: cap).ceiling(attempt: attempt)
        let asked = obeyed(retryAfter) ?? .zero
        // From a half of the ceiling to the whole, and never below the least.
        let own = max(base, ceiling * (0.5 + 0.5 * random))
        return max(own, asked + base * random)
    }

    /// What of a `Retry-After` is obeyed.
    static func obeyed(_ retryAfter: Duration?) -> Duration? {
        retryAfter.map { min(max($0, .zero), maximumRetryAfter) }
    }
}
