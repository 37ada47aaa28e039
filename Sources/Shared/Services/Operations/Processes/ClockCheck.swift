package import Foundation
package import Logging
import Synchronization

/// Decides whether this process's clock is reliable enough to start and close sprints.
///
/// A closed sprint stays closed, so one process with a wrong clock would close the sprints of all teams, and the others
/// would follow. Whenever a sprint is due to start or close, the clock is therefore compared with the store's, if the
/// store has a clock of its own, and otherwise with the other processes' heartbeats. Beyond `tolerance` nothing is
/// started or closed, and the process reports itself as not ready until the clocks agree again.
///
/// A heartbeat far from this clock alone proves nothing: its process may have crashed long ago. It is proof once it
/// changes. Until it has had time to, nothing is started or closed either.
package final class ClockCheck: Sendable {
    /// Maximum difference between clocks in seconds. Machines with NTP differ by milliseconds.
    package static let tolerance: TimeInterval = 120

    /// Another process whose heartbeat is far from this clock.
    private struct Suspect {
        var seen: Date
        /// When this process first saw that heartbeat, on a monotonic clock.
        var since: ContinuousClock.Instant
        /// The difference between the clocks in seconds; `nil` until the heartbeat has changed.
        var difference: TimeInterval?
    }

    private struct State {
        var suspects: [ProcessRecord.ID: Suspect] = [:]
        /// The problem last logged.
        var reported: Trouble?
    }

    /// The reason why nothing is started or closed.
    private enum Trouble: Equatable {
        case storeDiffers
        case processDiffers
        case unclear
    }

    private let system: any SystemStore
    private let processes: any ProcessStore
    private let ownID: ProcessRecord.ID?
    private let clock: WallClock
    private let stopwatch: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - ownID: the id of this process's own heartbeats; `nil` if it sends none.
    ///   - stopwatch: measures how long other processes have been observed.
    package init(
        stores: Stores, ownID: ProcessRecord.ID?, clock: WallClock,
        stopwatch: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger
    ) {
        system = stores.system
        processes = stores.processes
        self.ownID = ownID
        self.clock = clock
        self.stopwatch = stopwatch
        self.logger = logger
    }

    /// Permits a sprint to start or close.
    /// - Throws: `AppError.clockDoubtful`, or `StorageError.unavailable`.
    package func requireAgreement() async throws {
        if let trouble = try await trouble() {
            report(trouble)
            throw AppError.clockDoubtful
        }
        report(nil)
    }

    /// Fails only if this clock or another one is certainly wrong. Unlike `requireAgreement` it does not wait for
    /// processes that may have crashed.
    /// - Throws: `AppError.clockDoubtful`, or `StorageError.unavailable`.
    package func requireNoDifference() async throws {
        let trouble = try await trouble()
        guard trouble == nil || trouble == .unclear else {
            report(trouble)
            throw AppError.clockDoubtful
        }
    }

    /// Checks the other processes' heartbeats; called with each heartbeat of this process.
    package func watch() async throws {
        if try await system.time() == nil { _ = try await differenceOfProcesses() }
    }

    private func trouble() async throws -> Trouble? {
        if let time = try await system.time() {
            return abs(time.timeIntervalSince(clock.now)) > Self.tolerance ? .storeDiffers : nil
        }
        return try await differenceOfProcesses()
    }

    private func differenceOfProcesses() async throws -> Trouble? {
        let records = try await processes.list(
            since: .distantPast, aliveSince: .distantPast, maximumGone: 0)
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
        case nil:
            logger.notice("The clocks agree")
        }
    }
}

extension AppError {
    /// A clock that may be wrong must not start or close anything.
    package static let clockDoubtful = AppError(
        .unavailable, "The server’s clock is being checked. Please try again in a minute.", reason: "clock-doubtful",
        retryAfter: 30)
}
