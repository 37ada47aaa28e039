package import AsyncHTTPClient
import Domain
import Foundation
package import Logging
import NIOCore
import Outbound
package import Ports
import ServiceLifecycle

/// Sends the spans and the metrics of this process to an OpenTelemetry collector, until the process stops.
///
/// Exporting never blocks: spans are dropped once the buffer is full while the collector is unavailable, and a stop
/// takes at most `standardStopLimit` longer.
package actor TelemetryExporter: Service {
    /// Time between two rounds. Each sends the spans that wait.
    static let interval = Duration.seconds(5)
    /// Rounds between two exports of metrics: a minute.
    static let roundsPerMetrics = 12
    /// Spans in one request, about 250 kB.
    static let batchSize = 512
    /// The limit of a request by default in the specification of exporters.
    package static let standardDeadline = Duration.seconds(10)
    /// Time for the last export. A worker has 18 s to stop, of which its jobs may take 15.
    package static let standardStopLimit = Duration.seconds(2)

    private static let retry = RetryPolicy(base: .seconds(5), cap: .seconds(60))

    /// Where this process records its spans.
    package nonisolated let spans: SpanRecorder

    private let client: OTLPClient
    private let resource: OTLPResource
    private let metrics: PrometheusMetrics
    private let clock: WallClock
    /// When the counters of this process began.
    private let started: Date
    private let stopLimit: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let random: @Sendable () -> Double
    private let logger: Logger

    private var round = 0
    /// The round that last exported metrics.
    private var metricsRound = 0
    /// The next round that may send something: later ones only, after a collector has asked to wait.
    private var nextRound = 0
    /// Consecutive requests after which a retry was needed.
    private var failures = 0
    /// Spans that were taken from the recorder and not exported yet.
    private var batch: [TraceSpan] = []
    /// What the collector does not take at present, for one line in the log at the beginning and one at the end.
    private var failing: [OTLPClient.Signal: Logger.Level] = [:]

    /// - Parameters:
    ///   - program: the service's name, unless the settings have one.
    ///   - client: shut down by the caller, after `run` has returned; create it with `clientConfiguration`.
    ///   - deadline: for one request, from connecting to the last byte of the response.
    ///   - stopLimit: for the last export.
    ///   - pace: paces the rounds.
    ///   - random: uniform in 0..<1, for jitter.
    package init(
        _ settings: TelemetrySettings, program: String, metrics: PrometheusMetrics, client: HTTPClient,
        deadline: Duration = standardDeadline, stopLimit: Duration = standardStopLimit, clock: WallClock = .system,
        pace: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, logger: Logger
    ) {
        spans = SpanRecorder(ratio: settings.sampledRatio, clock: clock, metrics: metrics)
        self.client = OTLPClient(settings: settings, client: client, deadline: deadline)
        resource = OTLPResource(serviceName: settings.serviceName ?? program, instanceID: UUID())
        self.metrics = metrics
        self.clock = clock
        started = clock.now
        self.stopLimit = stopLimit
        sleep = { try await pace.sleep(for: $0) }
        self.random = random
        self.logger = logger
    }

    /// No redirects: they would send the headers to another server. No retries of a connection: the next round is one.
    package static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Exports until the service shuts down, and then what is left.
    package func run() async {
        logger.notice(
            "Sending traces and metrics",
            metadata: ["collector.host": "\(URL(string: client.settings.endpoint)?.host() ?? "?")"])
        await cancelWhenGracefulShutdown { await self.exportRepeatedly() }
        // A task of its own, since this one is cancelled if another service has failed: its last spans say why.
        await Task { await exportRest() }.value
    }

    private func exportRepeatedly() async {
        while !Task.isCancelled {
            do { try await sleep(Self.interval) } catch { return }
            await export()
        }
    }

    /// One round: sends the spans that wait, and the metrics once a minute.
    func export() async {
        round += 1
        guard mayTry else { return }
        await exportSpans()
        // The collector may have asked to wait just now.
        guard mayTry, round - metricsRound >= Self.roundsPerMetrics else { return }
        await exportMetrics()
    }

    /// Sends what is left, unless the collector is known to be away.
    private func exportRest() async {
        guard mayTry else { return }
        do {
            try await withDeadline(stopLimit, orThrow: CancellationError()) {
                await self.exportSpans()
                if await self.mayTry { await self.exportMetrics() }
            }
        } catch {
            logger.notice("The last telemetry was not exported in time")
        }
    }

    private var mayTry: Bool { round >= nextRound }

    private func exportSpans() async {
        // As many as the recorder keeps. Those recorded meanwhile wait for the next round.
        for _ in 0..<(SpanRecorder.capacity / Self.batchSize) {
            if batch.isEmpty { batch = spans.take(Self.batchSize) }
            guard !batch.isEmpty else { return }
            let body = OTLPTraces(batch, of: resource)
            guard let rejected = await send(body, as: .traces, count: batch.count) else { return }
            spans.countDropped(rejected)
            batch = []
        }
    }

    /// Values that a collector did not get are in the next export too, since they count from the start.
    private func exportMetrics() async {
        metricsRound = round
        let readings = metrics.readings()
        let body = OTLPMetrics(readings, of: resource, started: started, now: clock.now)
        _ = await send(body, as: .metrics, count: readings.count)
    }

    /// - Parameter count: number of spans or metrics in the body.
    /// - Returns: how many of them the collector rejected; `nil` if they should be sent again.
    private func send(_ body: some Encodable & Sendable, as signal: OTLPClient.Signal, count: Int) async -> Int? {
        switch await client.post(body, to: signal) {
        case .accepted:
            noteSuccess(of: signal)
            return 0
        case .partlyAccepted(0, let message):
            logger.debug("The collector has a warning", metadata: ["error": "\(message)"])
            noteSuccess(of: signal)
            return 0
        case .partlyAccepted(let rejected, let message):
            noteFailure(of: signal, level: .warning, reason: "the collector rejected \(rejected): \(message)")
            failures = 0
            return rejected
        case .rejected(let reason):
            noteFailure(of: signal, level: .error, reason: reason)
            failures = 0
            return count
        case .unavailable(let reason, let retryAfter):
            // A stop interrupts a request, which says nothing about the collector.
            guard !Task.isCancelled else { return nil }
            noteFailure(of: signal, level: .warning, reason: reason)
            failures += 1
            let wait = Self.retry.delay(afterAttempt: failures, retryAfter: retryAfter, random: random())
            nextRound = round + max(1, Int((wait / Self.interval).rounded(.up)))
            return nil
        }
    }

    /// Logs a reason once, until there is a worse or a better one.
    private func noteFailure(of signal: OTLPClient.Signal, level: Logger.Level, reason: String) {
        guard failing.updateValue(level, forKey: signal) != level else { return }
        logger.log(
            level: level, "Telemetry is not exported",
            metadata: ["telemetry.signal": "\(signal.rawValue)", "error": "\(reason)"])
    }

    private func noteSuccess(of signal: OTLPClient.Signal) {
        failures = 0
        guard failing.removeValue(forKey: signal) != nil else { return }
        logger.notice("Telemetry is exported again", metadata: ["telemetry.signal": "\(signal.rawValue)"])
    }
}
