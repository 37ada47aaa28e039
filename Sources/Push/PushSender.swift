import Foundation
public import Logging
public import Shared
import Synchronization

/// Sends messages through the driver of each device's service: not faster than allowed, and again when the service was
/// away. One per process, for the pace is its own.
///
/// A service that names a `Retry-After` gets nothing at all until then, not just no second attempt. One that takes
/// nobody's address as ours is not believed (`PushTrust`).
public final class PushSender: Sendable {
    /// Messages of one service that are worth being sent at once: what the connections of its driver carry.
    public static let concurrency = 256
    /// Between two error lines about the same trouble.
    private static let complaintInterval = Duration.seconds(60)
    /// After an answer that is not believed, until it is looked whether the service has taken other messages meanwhile:
    /// the first ones of a burst go out together.
    private static let doubtTime = Duration.seconds(10)

    private struct State {
        var pace: PushPace
        /// Until when a service is left alone; those that are over are thrown away.
        var pauses: [PushLane: Duration] = [:]
        var trust: [PushLane: PushTrust] = [:]
        /// When something was complained about last.
        var complaints: [String: Duration] = [:]
    }

    private let drivers: [PushService: any PushDriver]
    private let clock: WallClock
    private let timer: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let random: @Sendable () -> Double
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameters:
    ///   - drivers: a service without one is `PushOutcome.noDriver`.
    ///   - clock: what a message's expiry is judged by.
    ///   - timer: pace, pauses and the waits between attempts.
    ///   - random: uniform in 0..<1, for jitter.
    public init(
        drivers: [PushService: any PushDriver], rate: PushRate, clock: WallClock = .system,
        timer: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, logger: Logger
    ) {
        self.drivers = drivers
        self.clock = clock
        self.timer = timer
        elapsed = Self.stopwatch(timer)
        self.random = random
        self.logger = logger
        state = Mutex(State(pace: PushPace(rate)))
    }

    /// The services that have a driver.
    public var services: Set<PushService> { Set(drivers.keys) }

    /// Sends one message to one device. To be called from several tasks at once, up to `concurrency`.
    /// - Parameter time: after which no further attempt begins. The first one begins in any case, unless its service is
    ///   paused for longer.
    /// - Throws: `CancellationError`; the message may have gone out.
    public func send(
        _ message: PushMessage, to address: Device.Address, within time: Duration
    ) async throws -> PushOutcome {
        let lane = PushLane(address)
        guard let driver = drivers[lane.service] else { return .noDriver }
        let end = elapsed() + time
        var earliest = Duration.zero
        var attempts = 0
        var reason = "the service asked for a pause"
        while true {
            let begin = max(earliest, pauseEnd(of: lane))
            guard begin <= end else { return givenUp(lane, reason) }
            // The place is taken after the wait: one in the future would hold up everybody behind it.
            try await wait(until: begin)
            let place = reserve()
            guard attempts == 0 || place <= end else { return givenUp(lane, reason) }
            try await wait(until: place)
            // A pause that began meanwhile counts for this message too; its place stays unused.
            guard pauseEnd(of: lane) <= elapsed() else { continue }
            do {
                try await driver.send(message, to: address, at: clock.now)
                earnTrust(of: lane)
                return .accepted
            } catch PushError.notOurs(let reason) {
                return try await doubted(reason, by: lane)
            } catch PushError.unavailable(let trouble, let retryAfter) {
                attempts += 1
                reason = trouble
                pause(lane, for: PushBackoff.obeyed(retryAfter))
                earliest =
                    elapsed()
                    + PushBackoff.delay(afterAttempt: attempts, retryAfter: retryAfter, random: random())
            } catch PushError.unregistered(let since) {
                return .unregistered(since: since)
            } catch PushError.refused(let reason) {
                return .refused(reason)
            } catch PushError.misconfigured(let reason) {
                complain(reason, about: lane.service)
                return .misconfigured(reason)
            }
        }
    }

    private func givenUp(_ lane: PushLane, _ reason: String) -> PushOutcome {
        let pause = pauseEnd(of: lane) - elapsed()
        return .failed(reason, retryAfter: pause > .zero ? pause : nil)
    }
}

// MARK: - Pace and pauses

extension PushSender {
    private func reserve() -> Duration {
        let now = elapsed()
        return state.withLock { $0.pace.reserve(at: now) }
    }

    /// In the past for a service that is not paused.
    private func pauseEnd(of lane: PushLane) -> Duration {
        state.withLock { $0.pauses[lane] ?? .zero }
    }

    private func pause(_ lane: PushLane, for time: Duration?) {
        guard let time, time > .zero else { return }
        let now = elapsed()
        let begins = state.withLock { state in
            state.pauses = state.pauses.filter { $0.value > now }
            let known = state.pauses[lane]
            state.pauses[lane] = max(known ?? .zero, now + time)
            return known == nil
        }
        guard begins else { return }
        logger.notice(
            "A push service asks for a pause",
            metadata: [
                "push.service": .string(lane.service.rawValue), "push.pause_seconds": "\(time.components.seconds)",
            ])
    }

    private func earnTrust(of lane: PushLane) {
        let now = elapsed()
        state.withLock { $0.trust[lane, default: PushTrust()].earn(at: now) }
    }

    private func spendTrust(of lane: PushLane) -> Bool {
        let now = elapsed()
        return state.withLock { $0.trust[lane]?.spend(at: now) ?? false }
    }

    /// What a service's word that an address is not ours comes to.
    private func doubted(_ reason: String, by lane: PushLane) async throws -> PushOutcome {
        if spendTrust(of: lane) { return .unregistered(since: nil) }
        try await wait(until: elapsed() + Self.doubtTime)
        if spendTrust(of: lane) { return .unregistered(since: nil) }
        complain(reason, about: lane.service)
        return .misconfigured(reason)
    }

    private func wait(until place: Duration) async throws {
        let left = place - elapsed()
        // Also a message that need not wait ends here when its task was cancelled.
        try Task.checkCancellation()
        if left > .zero { try await timer.sleep(for: left) }
    }

    private func complain(_ reason: String, about service: PushService) {
        let now = elapsed()
        let isNew = state.withLock { state in
            if let last = state.complaints[reason], now - last < Self.complaintInterval { return false }
            state.complaints[reason] = now
            return true
        }
        guard isNew else { return }
        logger.error(
            "Push messages cannot be sent",
            metadata: ["push.service": .string(service.rawValue), "error": .string(reason)])
    }

    /// Time since now by a clock whose instants have a type of their own.
    private static func stopwatch<Timer: Clock<Duration>>(_ timer: Timer) -> @Sendable () -> Duration {
        let begin = timer.now
        return { begin.duration(to: timer.now) }
    }
}
