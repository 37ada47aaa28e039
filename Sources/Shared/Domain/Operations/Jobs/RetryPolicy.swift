/// The delay before a failed job is retried: exponential backoff with full jitter, so that jobs which failed together
/// are not retried together (AWS Architecture Blog, "Exponential Backoff And Jitter").
package struct RetryPolicy: Sendable, Equatable {
    /// Upper bound of the first delay; doubled for each further one.
    package let base: Duration
    /// Upper bound of every delay without `Retry-After`.
    package let cap: Duration

    /// Shortest delay: full jitter may be close to zero, and a failing service needs a moment.
    package static let minimum = Duration.seconds(1)
    /// Longest `Retry-After` that is honoured, so that no response from outside can delay a job forever.
    package static let maximumRetryAfter = Duration.seconds(24 * 3600)
    /// For jobs: delays up to 5 s, 10 s, 20 s, … 15 minutes.
    package static let standard = RetryPolicy(base: .seconds(5), cap: .seconds(900))
    /// For an unavailable store: up to 1 s, 2 s, … 30 s, so that work resumes soon after it is back.
    package static let storeOutage = RetryPolicy(base: .seconds(1), cap: .seconds(30))

    /// - Parameter base: at least `minimum`, at most `cap`; other values are clamped.
    package init(base: Duration, cap: Duration) {
        self.cap = max(cap, Self.minimum)
        self.base = min(max(base, Self.minimum), self.cap)
    }

    /// The delay after `attempt` failed attempts.
    /// - Parameters:
    ///   - attempt: starts at 1.
    ///   - retryAfter: the minimum delay the server asked for; jitter is added to it.
    ///   - random: uniform in 0..<1.
    package func delay(afterAttempt attempt: Int, retryAfter: Duration? = nil, random: Double) -> Duration {
        let jittered = max(Self.minimum, ceiling(attempt: attempt) * random)
        guard let retryAfter else { return jittered }
        return min(max(retryAfter, .zero), Self.maximumRetryAfter) + jittered
    }

    /// Upper bound of the delay after `attempt` attempts, without `Retry-After`.
    package func ceiling(attempt: Int) -> Duration {
        var ceiling = base
        var doublings = attempt - 1
        while doublings > 0, ceiling < cap {
            ceiling *= 2
            doublings -= 1
        }
        return min(ceiling, cap)
    }
}
