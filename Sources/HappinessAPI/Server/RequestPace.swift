import Shared

/// How long a body may take to arrive: the more of it has come, the longer. So somebody's photograph gets through a slow
/// network, and a body that drips does not hold its connection.
struct RequestPace {
    /// Bytes that lengthen the time by a second: a quarter of what a phone on the edge of a 3G network sends, 512 kbit/s.
    static let bytesPerSecond = 16 * 1024
    /// The longest any body may take.
    static let longest = Duration.seconds(300)
    /// How long the smallest may take.
    static let base = Duration.seconds(30)

    /// Bytes so far.
    private(set) var received = 0
    private let start = ContinuousClock.now

    /// Counts what has come.
    /// - Throws: `AppError.tooSlow`.
    mutating func note(_ bytes: Int) throws(AppError) {
        received += bytes
        guard ContinuousClock.now - start < Self.allowance(base: Self.base, bytes: received) else {
            throw AppError(.tooSlow, "The request took too long to arrive.")
        }
    }

    /// How long a body may take of which `bytes` have come; `base` if that is nothing.
    static func allowance(base: Duration, bytes: Int) -> Duration {
        min(base + .seconds(bytes / bytesPerSecond), longest)
    }
}
