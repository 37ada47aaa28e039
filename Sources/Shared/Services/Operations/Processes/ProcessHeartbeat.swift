package import Domain
package import Foundation
package import Logging
package import Ports
import Product
import ServiceLifecycle
package import Storage

/// Reports every 15 s that this process is alive and how busy it is: in the store for those who monitor all processes,
/// and in memory for this process's own charts.
///
/// Each report writes one row, whatever the process serves. An unavailable store is logged once, and once more when it
/// is back; the charts continue.
package struct ProcessHeartbeat: Service {
    /// Time between two heartbeats.
    package static let interval = Duration.seconds(15)

    /// This process's load in the last hour.
    package let history = LoadHistory()
    /// New at each start.
    package let id: ProcessRecord.ID
    /// Start time of this process.
    package let started: Date

    private let kind: ProcessRecord.Kind
    private let store: any Store
    private let system: (any SystemStore)?
    private let meter: ProcessMeter
    private let clock: WallClock
    private let timer: any Clock<Duration>
    private let check: ClockCheck?
    private let logger: Logger

    /// - Parameters:
    ///   - system: is asked at each heartbeat whether it takes writes, so that `isWritable` stays correct while
    ///     nobody else asks.
    ///   - activity: the process's request counters; `nil` if it serves no requests.
    ///   - check: compares clocks with the other processes at each heartbeat.
    ///   - timer: waits between two heartbeats.
    ///   - metrics: reads the process's resource usage.
    package init(
        _ kind: ProcessRecord.Kind, id: ProcessRecord.ID = .random(), store: any Store,
        system: (any SystemStore)? = nil, activity: ServerActivity? = nil, check: ClockCheck? = nil, clock: WallClock,
        timer: any Clock<Duration> = ContinuousClock(),
        metrics: @escaping @Sendable () -> [ProcessMetric] = ProcessMetric.current, logger: Logger
    ) {
        self.kind = kind
        self.id = id
        self.check = check
        self.store = store
        self.system = system
        self.clock = clock
        self.timer = timer
        self.logger = logger
        meter = ProcessMeter(activity: activity, metrics: metrics)
        started = clock.now
    }

    /// Runs until the service shuts down, then removes the process's record: only records of processes that ended
    /// abnormally remain.
    package func run() async {
        await cancelWhenGracefulShutdown {
            var isAway = false
            var isFirst = true
            repeat {
                isAway = await !beat(afterOutage: isAway, isFirst: isFirst)
                isFirst = isFirst && isAway
            } while await pause()
        }
        do {
            try await store.write { [id] rows in try rows.deleteProcess(id) }
        } catch {
            logger.debug("The sign of life stays in the store")
        }
    }

    /// Takes a reading and stores it.
    /// - Parameter isFirst: the store has no record of this process yet.
    /// - Returns: whether the store accepted it.
    func beat(afterOutage wasAway: Bool, isFirst: Bool = false) async -> Bool {
        let now = clock.now
        let load = meter.read(at: now)
        history.add(LoadHistory.Sample(instant: now, load: load))
        do {
            try await system?.ping()
            // Before anything is removed: with a wrong clock it could be the record of a running process.
            try await check?.watch()
            if isFirst { try await removePredecessors(at: now) }
            let record = ProcessRecord(
                id: id, kind: kind, host: HostName.current, version: ProductVersion.current,
                started: Self.second(started), seen: Self.second(now), load: load)
            try await store.write { try $0.record(record) }
            if wasAway { logger.notice("Signs of life reach the store again") }
            return true
        } catch {
            if !wasAway, !Task.isCancelled {
                logger.warning("No sign of life reaches the store", metadata: ["error": "\(JobError(error).message)"])
            }
            return false
        }
    }

    /// Removes the records of this process's predecessors, and all that have expired. The worker does the latter too,
    /// but it may be the worker that crashes at each start, and a container's host name changes each time.
    private func removePredecessors(at now: Date) async throws {
        try await store.write { [kind] rows in
            try rows.deleteProcesses(
                unseenSince: now.addingTimeInterval(-ProcessRecord.lifetime), kind: kind, host: HostName.current)
        }
        try await store.write { try $0.deleteProcesses(unseenSince: now.addingTimeInterval(-ProcessRecord.memory)) }
    }

    /// - Returns: false when the service shuts down.
    private func pause() async -> Bool {
        do {
            try await timer.sleep(for: Self.interval)
            return true
        } catch {
            return false
        }
    }

    private static func second(_ instant: Date) -> Date {
        Date(timeIntervalSince1970: instant.timeIntervalSince1970.rounded(.down))
    }
}
