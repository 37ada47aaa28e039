/// How long a failed job waits for its next attempt: exponential backoff with full jitter, so that jobs which failed
/// together do not come back together (AWS Architecture Blog, "Exponential Backoff And Jitter").
public struct RetryPolicy: Sendable, Equatable {
    /// Upper end of the first wait; doubled for each further one.
    public let base: Duration
    /// No wait without `Retry-After` is longer.
    public let cap: Duration

    /// Shortest wait: full jitter may draw almost nothing, and what just failed needs a moment.
    public static let minimum = Duration.seconds(1)
    /// Longest `Retry-After` that is obeyed, so that no answer from outside can park a job for ever.
    public static let maximumRetryAfter = Duration.seconds(24 * 3600)
    /// For jobs: waits up to 5 s, 10 s, 20 s, … 15 minutes.
    public static let standard = RetryPolicy(base: .seconds(5), cap: .seconds(900))
    /// For a store that is away: up to 1 s, 2 s, … 30 s, so that work resumes soon after it is back.
    public static let storeOutage = RetryPolicy(base: .seconds(1), cap: .seconds(30))

    /// - Parameter base: at least `minimum`, at most `cap`; anything else is brought there.
    public init(base: Duration, cap: Duration) {
        self.cap = max(cap, Self.minimum)
        self.base = min(max(base, Self.minimum), self.cap)
    }

    /// The wait after `attempt` attempts failed.
    /// - Parameters:
    ///   - attempt: counted from 1.
    ///   - retryAfter: the least wait the other side asked for; the jitter comes on top of it.
    ///   - random: uniform in 0..<1.
    public func delay(afterAttempt attempt: Int, retryAfter: Duration? = nil, random: Double) -> Duration {
        let jittered = max(Self.minimum, ceiling(attempt: attempt) * random)
        guard let retryAfter else { return jittered }
        return min(max(retryAfter, .zero), Self.maximumRetryAfter) + jittered
    }

    /// Upper end of the wait after `attempt` attempts, without `Retry-After`.
    public func ceiling(attempt: Int) -> Duration {
        var ceiling = base
        var doublings = attempt - 1
        while doublings > 0, ceiling < cap {
            ceiling *= 2
            doublings -= 1
        }
        return min(ceiling, cap)
    }
}
