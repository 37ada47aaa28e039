package import Domain
import Foundation
package import Logging
package import Ports
import Synchronization

/// Sends messages through the driver of each device's service, limits the rate, and retries if the service is
/// unavailable. One per process, since each instance has its own rate limit.
///
/// A service that sends `Retry-After` gets no request at all until then, not only no retry. A service that says that no
/// address is ours is not believed (`UnregisterGuard`).
package final class PushSender: Sendable {
    /// Messages to one service worth sending concurrently: the capacity of its driver's connections.
    package static let concurrency = 256
    /// Time between two error lines about the same problem.
    private static let complaintInterval = Duration.seconds(60)
    /// After a response that is not believed: wait before checking whether the service has accepted other messages
    /// meanwhile. The first ones of a burst are sent together.
    private static let doubtTime = Duration.seconds(10)

    private struct State {
        var pace: PushRateLimiter
        /// The end of each service's pause; expired ones are removed.
        var pauses: [PushServiceKey: Duration] = [:]
        var trust: [PushServiceKey: UnregisterGuard] = [:]
        /// When each problem was last logged.
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
    ///   - drivers: a service without one results in `PushOutcome.noDriver`.
    ///   - clock: used to check whether a message has expired.
    ///   - timer: used for rate, pauses and the waits between attempts.
    ///   - random: uniform in 0..<1, for jitter.
    package init(
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
        state = Mutex(State(pace: PushRateLimiter(rate)))
    }

    /// The services that have a driver.
    package var services: Set<PushService> { Set(drivers.keys) }

    /// Sends one message to one device. Call it from several tasks at once, up to `concurrency`.
    /// - Parameter time: no retry begins after this time. The first attempt begins in any case, unless its service is
    ///   paused for longer.
    /// - Throws: `CancellationError`; the message may have been sent.
    package func send(
        _ message: PushMessage, to address: Device.Address, within time: Duration
    ) async throws -> PushOutcome {
        let key = PushServiceKey(address)
        guard let driver = drivers[key.service] else { return .noDriver }
        let end = elapsed() + time
        var earliest = Duration.zero
        var attempts = 0
        var reason = "the service asked for a pause"
        while true {
            let begin = max(earliest, pauseEnd(of: key))
            guard begin <= end else { return givenUp(key, reason) }
            // Reserved after the wait: a reservation in the future would delay all later messages.
            try await wait(until: begin)
            let place = reserve()
            guard attempts == 0 || place <= end else { return givenUp(key, reason) }
            try await wait(until: place)
            // A pause that began meanwhile also applies to this message; its reservation is unused.
            guard pauseEnd(of: key) <= elapsed() else { continue }
            do {
                try await driver.send(message, to: address, at: clock.now)
                earnTrust(of: key)
                return .accepted
            } catch PushError.notOurs(let reason) {
                return try await doubted(reason, by: key)
            } catch PushError.unavailable(let trouble, let retryAfter) {
                attempts += 1
                reason = trouble
                pause(key, for: retryAfter.map(RetryPolicy.honoured))
                earliest =
                    elapsed()
                    + PushBackoff.delay(afterAttempt: attempts, retryAfter: retryAfter, random: random())
            } catch PushError.unregistered(let since) {
                return .unregistered(since: since)
            } catch PushError.rejected(let reason) {
                return .rejected(reason)
            } catch PushError.misconfigured(let reason) {
                complain(reason, about: key.service)
                return .misconfigured(reason)
            }
        }
    }

    private func givenUp(_ key: PushServiceKey, _ reason: String) -> PushOutcome {
        let pause = pauseEnd(of: key) - elapsed()
        return .failed(reason, retryAfter: pause > .zero ? pause : nil)
    }
}

// MARK: - Pace and pauses

extension PushSender {
    private func reserve() -> Duration {
        let now = elapsed()
        return state.withLock { $0.pace.reserve(at: now) }
    }

    /// In the past if the service is not paused.
    private func pauseEnd(of key: PushServiceKey) -> Duration {
        state.withLock { $0.pauses[key] ?? .zero }
    }

    private func pause(_ key: PushServiceKey, for time: Duration?) {
        guard let time, time > .zero else { return }
        let now = elapsed()
        let begins = state.withLock { state in
            state.pauses = state.pauses.filter { $0.value > now }
            let known = state.pauses[key]
            state.pauses[key] = max(known ?? .zero, now + time)
            return known == nil
        }
        guard begins else { return }
        logger.notice(
            "A push service asks for a pause",
            metadata: [
                "push.service": .string(key.service.rawValue), "push.pause_seconds": "\(time.components.seconds)",
            ])
    }

    private func earnTrust(of key: PushServiceKey) {
        let now = elapsed()
        state.withLock { $0.trust[key, default: UnregisterGuard()].earn(at: now) }
    }

    private func spendTrust(of key: PushServiceKey) -> Bool {
        let now = elapsed()
        return state.withLock { $0.trust[key]?.spend(at: now) ?? false }
    }

    /// The outcome if a service says that an address is not ours.
    private func doubted(_ reason: String, by key: PushServiceKey) async throws -> PushOutcome {
        if spendTrust(of: key) { return .unregistered(since: nil) }
        try await wait(until: elapsed() + Self.doubtTime)
        if spendTrust(of: key) { return .unregistered(since: nil) }
        complain(reason, about: key.service)
        return .misconfigured(reason)
    }

    private func wait(until place: Duration) async throws {
        let left = place - elapsed()
        // Ends here if the task was cancelled, even if the message need not wait.
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

    /// Time since now, by a clock with its own type of instants.
    private static func stopwatch<Timer: Clock<Duration>>(_ timer: Timer) -> @Sendable () -> Duration {
        let begin = timer.now
        return { begin.duration(to: timer.now) }
    }
}
