import Shared

/// When the next request may go out: a rate that rises in a straight line from nothing at a burst's start, as FCM asks
/// for (https://firebase.google.com/docs/cloud-messaging/scale-fcm), and then stays at its cap.
///
/// Pure: times come in, as a distance from any fixed instant. Room that was not used is not made up for.
struct PushPace: Sendable {
    /// Without a request for this long, the next one begins a burst.
    static let idleTime = Duration.seconds(60)

    private let rate: PushRate
    private var burstBegin: Duration?
    /// From when on the next request may go out.
    private var next = Duration.zero

    init(_ rate: PushRate) {
        self.rate = rate
    }

    /// Takes the next place.
    /// - Parameter earliest: now, or later for a request that has to wait anyway.
    /// - Returns: when to send; not before `earliest`.
    mutating func reserve(at earliest: Duration) -> Duration {
        if burstBegin == nil || earliest - next >= Self.idleTime {
            burstBegin = earliest
            next = earliest
        }
        let begin = burstBegin ?? earliest
        let place = max(earliest, next)
        next = begin + following(place - begin)
        return place
    }

    /// The place after the one at `time`, both counted from the burst's start: so much later that the rate, summed up
    /// in between, makes one request. While it rises the rate is `cap * t / ramp`, and its sum `cap * t² / (2 * ramp)`.
    private func following(_ time: Duration) -> Duration {
        let cap = Double(rate.requestsPerSecond)
        let ramp = rate.ramp / .seconds(1)
        let seconds = time / .seconds(1)
        guard seconds < ramp else { return time + .seconds(1 / cap) }
        let inRamp = (seconds * seconds + 2 * ramp / cap).squareRoot()
        guard inRamp > ramp else { return .seconds(inRamp) }
        let rest = 1 - cap * (ramp * ramp - seconds * seconds) / (2 * ramp)
        return .seconds(ramp + rest / cap)
    }
}
