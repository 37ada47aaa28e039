import Domain

/// Limits the time for receiving a body. The limit grows with the bytes received, so that a photograph gets through a
/// slow network while a trickling body cannot keep its connection open.
struct UploadTimeout {
    /// Bytes that extend the limit by a second: a quarter of what a phone at the edge of a 3G network sends, 512
    /// kbit/s.
    static let bytesPerSecond = 16 * 1024
    /// Upper bound for any body.
    static let longest = Duration.seconds(300)
    /// Limit for the smallest body.
    static let base = Duration.seconds(30)

    /// Bytes received so far.
    private(set) var received = 0
    private let start = ContinuousClock.now

    /// Adds received bytes.
    /// - Throws: `AppError.tooSlow`.
    mutating func record(_ bytes: Int) throws(AppError) {
        received += bytes
        guard ContinuousClock.now - start < Self.allowance(base: Self.base, bytes: received) else {
            throw AppError(.tooSlow, "The request took too long to arrive.")
        }
    }

    /// The limit for a body of which `bytes` have been received; `base` if none have.
    static func allowance(base: Duration, bytes: Int) -> Duration {
        min(base + .seconds(bytes / bytesPerSecond), longest)
    }
}
