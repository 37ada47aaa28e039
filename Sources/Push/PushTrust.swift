import Shared

/// Whether to believe a service that does not take an address as ours (`PushError.notOurs`).
///
/// A key file of another project, or Apple's host for development builds, turns every address down, and would have every
/// registration removed. So a service is believed about as many addresses as it has taken messages for, lately.
///
/// Pure: times come in, as a distance from any fixed instant.
struct PushTrust: Sendable {
    /// Addresses that a service is believed about in a row. More than the bad ones among so many devices as are served at
    /// once, and few enough to get over, should a service that worked turn everybody down from one moment to the next.
    static let maximum = 32
    /// How long a message that was taken says something about the settings and the service.
    static let lifetime = Duration.seconds(60)

    private var credit = 0
    private var latest = Duration.zero

    /// A message was taken.
    mutating func earn(at now: Duration) {
        expire(at: now)
        credit = min(credit + 1, Self.maximum)
        latest = now
    }

    /// Uses up what one message has earned.
    /// - Returns: false if nothing is left.
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
