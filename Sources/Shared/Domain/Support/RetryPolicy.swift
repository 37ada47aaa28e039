/// The delay before failed work is retried, a job or a request: exponential backoff with full jitter, so that what
/// failed together is not retried together (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
package struct RetryPolicy: Sendable, Equatable {
    /// Upper bound of the first delay; doubled for each further one.
    package let base: Duration
    /// Upper bound of every delay without `Retry-After`.
    package let cap: Duration
    /// Shortest delay.
    private let floor: Duration

    /// Shortest delay of a job: full jitter may be close to zero, and a failing service needs a moment.
    package static let minimum = Duration.seconds(1)
    /// Longest `Retry-After` that is honoured, so that no response from outside can delay anything forever.
    package static let maximumRetryAfter = Duration.seconds(24 * 3600)
    /// For jobs: delays up to 5 s, 10 s, 20 s, … 15 minutes.
    package static let standard = RetryPolicy(base: .seconds(5), cap: .seconds(900))
    /// For an unavailable store: up to 1 s, 2 s, … 30 s, so that work resumes soon after it is back.
    package static let storeOutage = RetryPolicy(base: .seconds(1), cap: .seconds(30))

    /// - Parameters:
    ///   - base: at least `floor`, at most `cap`; other values are clamped.
    ///   - floor: shortest delay; less than the default only while somebody waits for the result.
    package init(base: Duration, cap: Duration, floor: Duration = minimum) {
        self.floor = floor
        self.cap = max(cap, floor)
        self.base = min(max(base, floor), self.cap)
    }

    /// The delay after `attempt` failed attempts.
    /// - Parameters:
    ///   - attempt: starts at 1.
    ///   - retryAfter: the minimum delay the server asked for; jitter is added to it.
    ///   - random: uniform in 0..<1.
    package func delay(afterAttempt attempt: Int, retryAfter: Duration? = nil, random: Double) -> Duration {
        let jittered = max(floor, ceiling(attempt: attempt) * random)
        return (retryAfter.map(Self.honoured) ?? .zero) + jittered
    }

    /// The part of a `Retry-After` to respect.
    package static func honoured(_ retryAfter: Duration) -> Duration {
        min(max(retryAfter, .zero), maximumRetryAfter)
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
