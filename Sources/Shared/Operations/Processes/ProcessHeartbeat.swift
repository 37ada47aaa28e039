public import Foundation
public import Logging
public import ServiceLifecycle

/// Says every 15 s that this process lives and how busy it is: in the store, for whoever looks after all of them, and in
/// memory, for the charts of this one.
///
/// One row is written each time, whatever the process serves. A store that is away is told of once, and again when it is
/// back; the charts go on.
public struct ProcessHeartbeat: Service {
    /// Between two signs of life.
    public static let interval = Duration.seconds(15)

    /// This process's load in the last hour.
    public let history = LoadHistory()
    /// This process's identity.
    public let id: ProcessRecord.ID
    /// When this process started.
    public let started: Date

    private let kind: ProcessRecord.Kind
    private let store: any ProcessStore
    private let meter: ProcessMeter
    private let clock: WallClock
    private let timer: any Clock<Duration>
    private let check: ClockCheck?
    private let logger: Logger

    /// - Parameters:
    ///   - activity: what the process serves; `nil` if it serves nobody.
    ///   - check: looks at the others' signs as often as this process gives its own.
    ///   - timer: waits between two signs.
    ///   - metrics: reads the process.
    public init(
        _ kind: ProcessRecord.Kind, id: ProcessRecord.ID = .random(), store: any ProcessStore,
        activity: ServerActivity? = nil, check: ClockCheck? = nil, clock: WallClock,
        timer: any Clock<Duration> = ContinuousClock(),
        metrics: @escaping @Sendable () -> [ProcessMetric] = ProcessMetric.current, logger: Logger
    ) {
        self.kind = kind
        self.id = id
        self.check = check
        self.store = store
        self.clock = clock
        self.timer = timer
        self.logger = logger
        meter = ProcessMeter(activity: activity, metrics: metrics)
        started = clock.now
    }

    /// Runs until the process is told to stop, and then takes its record away: what is left is what did not end as it
    /// should.
    public func run() async {
        await cancelWhenGracefulShutdown {
            var isAway = false
            var isFirst = true
            repeat {
                isAway = await !beat(afterOutage: isAway, isFirst: isFirst)
                isFirst = isFirst && isAway
            } while await pause()
        }
        do {
            try await store.delete(id: id)
        } catch {
            logger.debug("The sign of life stays in the store")
        }
    }

    /// Reads this process and notes it.
    /// - Parameter isFirst: the store has none of this process yet.
    /// - Returns: whether the store took it.
    func beat(afterOutage wasAway: Bool, isFirst: Bool = false) async -> Bool {
        let now = clock.now
        let load = meter.read(at: now)
        history.add(LoadHistory.Sample(instant: now, load: load))
        do {
            // Before anything is removed: with a wrong clock that could be the sign of a process that lives.
            try await check?.watch()
            if isFirst { try await removePredecessors(at: now) }
            try await store.note(
                ProcessRecord(
                    id: id, kind: kind, host: HostName.current, version: ProductVersion.current,
                    started: Self.second(started), seen: Self.second(now), load: load))
            if wasAway { logger.notice("Signs of life reach the store again") }
            return true
        } catch {
            if !wasAway, !Task.isCancelled {
                logger.warning("No sign of life reaches the store", metadata: ["error": "\(JobError(error).message)"])
            }
            return false
        }
    }

    /// Takes away the records of those whose place this process takes, and of all that are forgotten. The worker does the
    /// latter too, but it may be the worker that dies at each start, and a container's host has another name each time.
    private func removePredecessors(at now: Date) async throws {
        try await store.deleteUnseen(
            since: now.addingTimeInterval(-ProcessRecord.lifetime), kind: kind, host: HostName.current)
        try await store.deleteUnseen(since: now.addingTimeInterval(-ProcessRecord.memory))
    }

    /// - Returns: false if it is time to stop.
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
