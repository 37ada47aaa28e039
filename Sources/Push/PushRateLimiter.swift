import Ports

/// The time of the next request: the rate rises linearly from zero at a burst's start, as FCM asks for
/// (https://firebase.google.com/docs/cloud-messaging/scale-fcm), and then stays at its cap.
///
/// Pure: times are arguments, as durations since any fixed instant. Unused capacity is not carried over.
struct PushRateLimiter: Sendable {
    /// After this time without a request, the next one begins a new burst.
    static let idleTime = Duration.seconds(60)

    private let rate: PushRate
    private var burstBegin: Duration?
    /// The earliest time of the next request.
    private var next = Duration.zero

    init(_ rate: PushRate) {
        self.rate = rate
    }

    /// Reserves the time of a request.
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

    /// The request time after `time`, both counted from the burst's start: the integral of the rate in between is one
    /// request. While the rate rises it is `cap * t / ramp`, and its integral `cap * t² / (2 * ramp)`.
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
