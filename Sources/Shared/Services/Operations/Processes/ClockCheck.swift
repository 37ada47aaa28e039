package import Domain
package import Foundation
package import Logging
package import Ports
import Product
package import Storage
import Synchronization

/// Decides whether this process's clock is reliable enough to start and close sprints, and to delete what has expired.
///
/// A closed sprint stays closed, so one process with a wrong clock would close the sprints of all teams, and the others
/// would follow. Whenever a sprint is due to start or close, the clock is therefore compared with the store's, if the
/// store has a clock of its own, and otherwise with the other processes' heartbeats. Beyond `tolerance` nothing is
/// started or closed, and the process reports itself as not ready until the clocks agree again.
///
/// A heartbeat far from this clock alone proves nothing: its process may have crashed long ago. It is proof once it
/// changes. Until it has had time to, nothing is started or closed either.
///
/// A single machine has no other clock. So the store keeps the newest time that was accepted as right. If the clock is
/// more than `maximumGap` ahead of it, the server was off, or the clock was set wrongly. The clock is then read again
/// until `wait` has passed, and believed if it has advanced as the monotonic clock has. Then its time becomes the newest
/// one, for all processes. A clock that is as far behind the newest time closes nothing early, so it is not stopped; the
/// newest time follows it after the same wait.
package final class ClockCheck: Sendable {
    /// Maximum difference between clocks in seconds. Machines with NTP differ by milliseconds.
    package static let tolerance: TimeInterval = 120
    /// Seconds by which the clock may be ahead of the newest time in the store: 26 hours. A `Worker --once` that runs daily
    /// never waits long enough for a doubtful clock. So neither a start some seconds later than the day before must make
    /// it doubtful, nor the end of summer time, when a local day has 25 hours.
    package static let maximumGap: TimeInterval = 93_600
    /// Time between the first and the last reading of a clock that is further ahead.
    package static let wait = Duration.seconds(600)
    /// Maximum difference in seconds between the time that passed by this clock and by the monotonic one meanwhile. NTP
    /// slews a clock by 0.5 ms a second at most (adjtimex(2)), which is 0.3 s.
    package static let drift: TimeInterval = 5
    /// Seconds after which the newest time is recorded again; far below `maximumGap`.
    private static let recordingInterval: TimeInterval = 600

    /// Another process whose heartbeat is far from this clock.
    private struct Suspect {
        var seen: Date
        /// When this process first saw that heartbeat, on a monotonic clock.
        var since: ContinuousClock.Instant
        /// The difference between the clocks in seconds; `nil` until the heartbeat has changed.
        var difference: TimeInterval?
    }

    /// A reading of the clock that was more than `maximumGap` away from the newest time in the store.
    private struct Reading {
        let time: Date
        /// When it was read, on a monotonic clock that does not stop while the machine sleeps.
        let instant: ContinuousClock.Instant
    }

    private struct State {
        /// The first of the readings that agree with each other.
        var doubted: Reading?
        var suspects: [ProcessRecord.ID: Suspect] = [:]
        /// The problem last logged.
        var reported: Trouble?
    }

    /// The reason why nothing is started or closed.
    private enum Trouble: Equatable {
        case storeDiffers
        case processDiffers
        case unclear
        case ahead
    }

    private let system: any SystemStore
    private let store: any Store
    private let ownID: ProcessRecord.ID?
    private let clock: WallClock
    private let stopwatch: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - ownID: the id of this process's own heartbeats; `nil` if it sends none.
    ///   - stopwatch: measures how long other processes, and a doubtful clock, have been observed. It must not stop
    ///     while the machine sleeps, as `clock` does not.
    package init(
        stores: Stores, ownID: ProcessRecord.ID?, clock: WallClock,
        stopwatch: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger
    ) {
        system = stores.system
        store = stores.rows
        self.ownID = ownID
        self.clock = clock
        self.stopwatch = stopwatch
        self.logger = logger
    }

    /// Permits a sprint to start or close, or something to be deleted because it has expired.
    /// - Parameter instant: the time by which that is due, as read from the clock before; `nil` means now.
    /// - Throws: `AppError.clockDoubtful`, also if the clock was set back since `instant` was read; or
    ///   `StorageError.unavailable`.
    package func requireAgreement(at instant: Date? = nil) async throws {
        if let trouble = try await trouble() {
            report(trouble)
            throw AppError.clockDoubtful
        }
        report(nil)
        let now = clock.now
        guard (instant ?? now).timeIntervalSince(now) <= Self.tolerance else { throw AppError.clockDoubtful }
    }

    /// Fails only if this clock or another one is certainly wrong. Unlike `requireAgreement` it does not wait for
    /// processes that may have crashed.
    /// - Throws: `AppError.clockDoubtful`, or `StorageError.unavailable`.
    package func requireNoDifference() async throws {
        let difference = try await difference()
        guard difference == nil || difference == .unclear else {
            report(difference)
            throw AppError.clockDoubtful
        }
    }

    /// Checks the other processes' heartbeats and the newest time in the store; called with each heartbeat of this
    /// process.
    package func watch() async throws {
        let trouble = try await trouble()
        // That a process may have crashed is of interest only while something is due.
        if trouble != .unclear { report(trouble) }
    }

    /// How far the clock is ahead of the newest time in the store; `nil` if it is not more than `maximumGap`. Changes
    /// nothing.
    /// - Throws: `StorageError.unavailable`.
    package func gap() async throws -> ClockGap? {
        guard let newest = try await system.newestTime() else { return nil }
        let now = clock.now
        return now.timeIntervalSince(newest) > Self.maximumGap ? ClockGap(newest: newest, now: now) : nil
    }

    /// Makes the present time the newest one in the store, since an operator says that it is right. Then no process
    /// waits whose clock is at most `maximumGap` ahead of it.
    /// - Returns: the times before.
    /// - Throws: `AppError.clockDiffers` if another clock shows a different time, or `StorageError.unavailable`.
    package func confirm() async throws -> ClockGap {
        let difference = try await difference()
        guard difference == nil || difference == .unclear else { throw AppError.clockDiffers }
        while true {
            let newest = try await system.newestTime()
            let now = clock.now
            // Otherwise another process has recorded its time meanwhile.
            if try await system.recordTime(now, after: newest) { return ClockGap(newest: newest, now: now) }
        }
    }

    private func trouble() async throws -> Trouble? {
        if let difference = try await difference() { return difference }
        return try await isTooFarAhead() ? .ahead : nil
    }

    /// Compares the clock with the newest time in the store, and records it there unless it is doubtful.
    private func isTooFarAhead() async throws -> Bool {
        guard let newest = try await system.newestTime() else {
            // A new store, or one of an older version.
            _ = try await system.recordTime(clock.now, after: nil)
            return false
        }
        let now = clock.now
        let instant = stopwatch()
        let gap = now.timeIntervalSince(newest)
        if abs(gap) <= Self.maximumGap {
            state.withLock { $0.doubted = nil }
            if gap >= Self.recordingInterval { _ = try await system.recordTime(now, after: newest) }
            return false
        }
        let isSteady = state.withLock { state -> Bool in
            if let first = state.doubted {
                let passed = instant - first.instant
                if abs(now.timeIntervalSince(first.time) - passed.timeInterval) <= Self.drift {
                    return passed >= Self.wait
                }
            }
            state.doubted = Reading(time: now, instant: instant)
            return false
        }
        guard isSteady else { return gap > 0 }
        _ = try await system.recordTime(now, after: newest)
        state.withLock { $0.doubted = nil }
        return false
    }

    /// Why this clock and another one may differ.
    private func difference() async throws -> Trouble? {
        if let time = try await system.time() {
            return abs(time.timeIntervalSince(clock.now)) > Self.tolerance ? .storeDiffers : nil
        }
        return try await differenceOfProcesses()
    }

    private func differenceOfProcesses() async throws -> Trouble? {
        let records = try await store.read {
            try $0.processes(since: .distantPast, aliveSince: .distantPast, maximumGone: 0)
        }
        let now = clock.now
        let instant = stopwatch()
        return state.withLock { state in
            var agrees = false
            for record in records where record.id != ownID {
                let difference = record.seen.timeIntervalSince(now)
                if abs(difference) <= Self.tolerance {
                    agrees = true
                    state.suspects[record.id] = nil
                } else if let suspect = state.suspects[record.id] {
                    guard suspect.seen != record.seen else { continue }
                    state.suspects[record.id] = Suspect(seen: record.seen, since: instant, difference: difference)
                } else {
                    state.suspects[record.id] = Suspect(seen: record.seen, since: instant, difference: nil)
                }
            }
            let isSilent = { (suspect: Suspect) in instant - suspect.since > .seconds(ProcessRecord.lifetime) }
            let watched = state.suspects.values.filter { !isSilent($0) }
            if watched.contains(where: { $0.difference != nil }) { return .processDiffers }
            return agrees || watched.isEmpty ? nil : .unclear
        }
    }

    /// Logs a problem once, and once that it is resolved.
    private func report(_ trouble: Trouble?) {
        let changed = state.withLock { state in
            defer { state.reported = trouble }
            return state.reported != trouble
        }
        guard changed else { return }
        switch trouble {
        case .storeDiffers:
            logger.error("The clock differs from the database's; no sprint is started or closed. Set the clocks (NTP).")
        case .processDiffers:
            logger.error(
                "The clock differs from that of another process; no sprint is started or closed. Set the clocks (NTP).")
        case .unclear:
            logger.notice("Waiting for a minute to tell whether another process has another clock")
        case .ahead:
            logger.warning(
                """
                The clock is more than a day ahead of the newest time in the store. Until it has been steady for ten \
                minutes, no sprint is started or closed, and workers run no job. If it is right, run the command
                """,
                metadata: [
                    "clock.now": "\(clock.now.formatted(.iso8601))",
                    "command": "\(ProgramCall.current.text) sprints confirm-clock",
                ])
        case nil:
            logger.notice("The clocks agree")
        }
    }
}

/// The newest time in the store, and this machine's.
package struct ClockGap: Hashable, Sendable {
    /// In whole seconds; `nil` if no process has recorded one yet.
    package let newest: Date?
    /// The time by this machine's clock.
    package let now: Date

    /// Takes both times.
    package init(newest: Date?, now: Date) {
        self.newest = newest
        self.now = now
    }
}

extension AppError {
    /// An operator's command runs on a machine with another clock than the database or another process.
    static let clockDiffers = AppError(
        .conflict,
        "This machine’s clock differs from the database’s or another process’s by more than two minutes. Set the clocks "
            + "(NTP), then repeat the command.")

    /// A clock that may be wrong must not start or close anything.
    package static let clockDoubtful = AppError(
        .unavailable, "The server’s clock is being checked. Please try again in a minute.", reason: .clockDoubtful,
        retryAfter: 30)
}
