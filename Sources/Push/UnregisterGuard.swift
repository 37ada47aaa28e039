/// Decides whether to believe a service that says that an address is not ours (`PushError.notOurs`).
///
/// With a key file of another project, or Apple's host for development builds, a service rejects every address, which
/// would remove every registration. So a service is believed for at most as many addresses as it has recently accepted
/// messages for.
///
/// Pure: times are arguments, as durations since any fixed instant.
struct UnregisterGuard: Sendable {
    /// Maximum number of addresses in a row for which a service is believed. More than the invalid ones among the
    /// devices of one part; few enough that little is lost if a working service suddenly rejects all addresses.
    static let maximum = 32
    /// How long an accepted message proves that settings and service work.
    static let lifetime = Duration.seconds(60)

    private var credit = 0
    private var latest = Duration.zero

    /// Records an accepted message.
    mutating func earn(at now: Duration) {
        expire(at: now)
        credit = min(credit + 1, Self.maximum)
        latest = now
    }

    /// Uses up one accepted message.
    /// - Returns: false if none is left.
    mutating func spend(at now: Duration) -> Bool {
        expire(at: now)
        guard credit > 0 else { return false }
        credit -= 1
        return true
    }

    private mutating func expire(at now: Duration) {
        if now - latest > Self.lifetime { credit = 0 }
    }
}
