import Domain

/// How long a message waits before a retry: the wait doubles each time, with jitter, so that messages that failed
/// together are not retried together (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
struct PushBackoff: Sendable {
    /// Shortest wait; FCM requires at least 10 s.
    static let base = Duration.seconds(10)
    /// Longest wait, unless the service asks for more.
    static let cap = Duration.seconds(300)

    /// The wait after `attempt` failed attempts.
    /// - Parameters:
    ///   - attempt: counted from 1.
    ///   - retryAfter: the minimum wait the service asked for; the jitter is added to it.
    ///   - random: uniform in 0..<1.
    static func delay(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration {
        let ceiling = RetryPolicy(base: base, cap: cap).ceiling(attempt: attempt)
        let asked = retryAfter.map(RetryPolicy.honoured) ?? .zero
        // Between half and all of the ceiling, but never below the minimum.
        let own = max(base, ceiling * (0.5 + 0.5 * random))
        return max(own, asked + base * random)
    }
}
