import AsyncHTTPClient
import Foundation
import Ports
import TestSupport

@testable import Telemetry

/// An exporter, and the collector it sends to.
struct TelemetryFixture: Sendable {
    /// Saturday, 21 November 2026, 00:28:51 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_220_931)
    static let apiKey = "key of-mine"

    let collector: OTLPCollector
    let exporter: TelemetryExporter
    let metrics: PrometheusMetrics
    /// Paces the rounds of `TelemetryExporter.run`.
    let pace: ManualClock
    let log: CapturedLog

    /// Runs `body` with an exporter that has not been started. Retries wait half of what they may.
    static func with(
        deadline: Duration = .seconds(60), stopLimit: Duration = .seconds(60),
        isolation: isolated (any Actor)? = #isolation, _ body: (TelemetryFixture) async throws -> Void
    ) async throws {
        let client = HTTPClient(configuration: TelemetryExporter.clientConfiguration)
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await OTLPCollector.with(headers: ["api-key": apiKey]) { collector in
                    let metrics = PrometheusMetrics(help: ["jobs_total": "Attempts."], process: { [] })
                    let pace = ManualClock(start: now)
                    let log = CapturedLog()
                    let exporter = TelemetryExporter(
                        TelemetrySettings(endpoint: collector.baseURL, headers: ["api-key": SecretText(apiKey)]),
                        program: "happiness-test", metrics: metrics, client: client, deadline: deadline,
                        stopLimit: stopLimit, clock: WallClock { now }, pace: pace, random: { 0.5 },
                        logger: log.logger)
                    try await body(
                        TelemetryFixture(
                            collector: collector, exporter: exporter, metrics: metrics, pace: pace, log: log))
                })
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        try result.get()
    }

    /// Records requests of a quarter of a second each.
    func record(_ count: Int = 1) {
        for _ in 0..<count {
            exporter.spans.record(
                "GET /health", kind: .server,
                attributes: ["http.route": .text("/health"), "http.response.status_code": .number(200)],
                hasFailed: false, duration: .milliseconds(250))
        }
    }

    /// The counter of dropped spans.
    var dropped: String? {
        metrics.render().split(separator: "\n").first { $0.hasPrefix("trace_spans_dropped_total ") }
            .flatMap { $0.split(separator: " ").last }.map(String.init)
    }

    /// The lines in the log with this message, and about this signal if one is given.
    func logged(_ message: String, signal: OTLPClient.Signal? = nil) -> Int {
        log.lines.count { line in
            line.contains(message) && (signal.map { line.contains("telemetry.signal=\($0.rawValue)") } ?? true)
        }
    }
}
