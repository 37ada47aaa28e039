/// How long a call to a store may take, and how often it is tried.
public struct S3Timing: Sendable {
    /// Of a call with all its attempts. A person waits for it, and their browser for ours.
    public var deadline: Duration
    /// Of one attempt, from connecting to the last byte of the answer. A picture takes a tenth of a second.
    public var attemptDeadline: Duration
    /// At most as many, the first one included.
    public var attempts: Int
    /// Longest wait before the second attempt; twice that before the third, and so on.
    public var firstWait: Duration
    /// No wait is longer, unless the store asks for it.
    public var longestWait: Duration

    /// The standard ones.
    public init(
        deadline: Duration = .seconds(10), attemptDeadline: Duration = .seconds(3), attempts: Int = 5,
        firstWait: Duration = .milliseconds(200), longestWait: Duration = .seconds(2)
    ) {
        self.deadline = deadline
        self.attemptDeadline = attemptDeadline
        self.attempts = attempts
        self.firstWait = firstWait
        self.longestWait = longestWait
    }

    /// Full jitter: anything up to the longest, so that those who failed together do not come back together
    /// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    /// - Parameters:
    ///   - attempt: the one that failed, counted from 1.
    ///   - retryAfter: the least wait the store asked for; the jitter comes on top of it.
    ///   - random: uniform in 0..<1.
    func wait(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration {
        let ceiling = min(longestWait, firstWait * (1 << min(max(attempt - 1, 0), 16)))
        return (retryAfter ?? .zero) + ceiling * random
    }
}
