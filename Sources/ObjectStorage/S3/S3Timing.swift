import Domain

/// Time limits and number of attempts for a call to a store.
package struct S3Timing: Sendable {
    /// For a call with all its attempts. A user waits for it, and the browser for our response.
    package var deadline: Duration
    /// For one attempt, from connecting to the last byte of the response. A picture takes a tenth of a second.
    package var attemptDeadline: Duration
    /// Maximum number of attempts, including the first.
    package var attempts: Int
    /// Longest wait before the second attempt; it doubles for each further one.
    package var firstWait: Duration
    /// Upper bound of a wait, unless the store asks for more.
    package var longestWait: Duration

    /// The defaults suit a request that a user waits for.
    package init(
        deadline: Duration = .seconds(10), attemptDeadline: Duration = .seconds(3), attempts: Int = 5,
        firstWait: Duration = .milliseconds(200), longestWait: Duration = .seconds(2)
    ) {
        self.deadline = deadline
        self.attemptDeadline = attemptDeadline
        self.attempts = attempts
        self.firstWait = firstWait
        self.longestWait = longestWait
    }

    /// For parts of backups: nobody waits, and 4 MiB take half a minute on a slow line.
    package static let backups = S3Timing(deadline: .seconds(300), attemptDeadline: .seconds(60))

    /// The wait before the next attempt, without a minimum of our own: a user may wait for the result.
    /// - Parameters:
    ///   - attempt: the one that failed, counted from 1.
    ///   - retryAfter: the minimum wait the store asked for; the jitter is added to it.
    ///   - random: uniform in 0..<1.
    func wait(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration {
        RetryPolicy(base: firstWait, cap: longestWait, floor: .zero)
            .delay(afterAttempt: attempt, retryAfter: retryAfter, random: random)
    }
}
