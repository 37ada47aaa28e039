public import Foundation
public import Logging
import Synchronization

/// Tells whether this process's clock can be trusted to start and to end sprints.
///
/// A sprint that was closed stays closed, so one process with a wrong clock would end the sprints of all teams, and the
/// others would follow it. So the clock is compared, whenever a sprint is due to start or to close: with the store's, if
/// that has a clock of its own, and otherwise with the signs of life of the other processes. Beyond `tolerance` nothing is
/// started or closed, and the process calls itself not ready, until the clocks agree again.
///
/// A sign of life that lies far from this clock is no proof by itself: its process may have died long ago. It is one
/// when it changes. Until it has had time to, nothing is started or closed either.
public final class ClockCheck: Sendable {
    /// Seconds by which clocks may differ. Machines with NTP differ by milliseconds.
    public static let tolerance: TimeInterval = 120

    /// What is known of another process whose sign of life is far from this clock.
    private struct Suspect {
        var seen: Date
        /// When this process first saw that sign, on a clock that nobody sets.
        var since: ContinuousClock.Instant
        /// How far its clock is from this one, in seconds; `nil` until its sign has changed.
        var difference: TimeInterval?
    }

    private struct State {
        var suspects: [ProcessRecord.ID: Suspect] = [:]
        /// What the log was told last.
        var reported: Trouble?
    }

    /// Why nothing is started or closed.
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
    ///   - ownID: under which this process gives its own signs of life; `nil` if it gives none.
    ///   - stopwatch: measures how long other processes have been watched.
    public init(
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

    /// Lets a sprint start or close.
    /// - Throws: `AppError.clockDoubtful`, or `AppError.storeUnavailable`.
    public func requireAgreement() async throws {
        if let trouble = try await trouble() {
            report(trouble)
            throw AppError.clockDoubtful
        }
        report(nil)
    }

    /// Whether it is certain that this clock, or another one, is wrong. Unlike `requireAgreement` it does not wait for
    /// processes that may have died.
    /// - Throws: `AppError.clockDoubtful`, or `AppError.storeUnavailable`.
    public func requireNoDifference() async throws {
        let trouble = try await trouble()
        guard trouble == nil || trouble == .unclear else {
            report(trouble)
            throw AppError.clockDoubtful
        }
    }

    /// Looks at the other processes' signs of life, as often as this process gives its own.
    public func watch() async throws {
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

    /// Says once what is wrong, and once that it is not any more.
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
    /// Nothing is started or closed by a clock that may be wrong.
    public static let clockDoubtful = AppError(
        .unavailable, "The server’s clock is being checked. Please try again in a minute.", reason: "clock-doubtful",
        retryAfter: 30)
}
