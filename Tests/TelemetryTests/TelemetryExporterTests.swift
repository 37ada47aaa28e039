import Foundation
import Logging
import Metrics
import Product
import ServiceLifecycle
import TestSupport
import Testing

@testable import Telemetry

/// The exporter against a collector that accepts only what the specification allows.
@Suite struct TelemetryExporterTests {
    private static let failure = "Telemetry is not exported"
    private static let recovery = "Telemetry is exported again"

    @Test func `Spans arrive in the next round, and metrics once a minute`() async throws {
        try await TelemetryFixture.with { fixture in
            Counter(label: "jobs", dimensions: [("kind", "mail")], factory: fixture.metrics).increment(by: 3)
            Gauge(label: "odd", factory: fixture.metrics).record(Double.nan)
            Recorder(label: "size", factory: fixture.metrics).record(2)
            Metrics.Timer(label: "wait", factory: fixture.metrics).recordSeconds(2)
            fixture.record()
            await fixture.exporter.export()
            #expect(fixture.collector.spans.map { $0["name"]?.text } == ["GET /health"])
            #expect(fixture.collector.metrics.isEmpty)

            for _ in 2...23 { await fixture.exporter.export() }
            let names = fixture.collector.metrics.map { $0["name"]?.text }
            #expect(names == ["jobs_total", "odd", "size", "trace_spans_dropped_total", "wait_seconds"])
            #expect(fixture.collector.requests == 2, "there is no request without content")
            await fixture.exporter.export()
            #expect(fixture.collector.requests == 3)
            #expect(fixture.collector.rejections.isEmpty)
            #expect(fixture.log.lines.isEmpty)
        }
    }

    @Test func `A process names itself, its version and its start`() async throws {
        try await TelemetryFixture.with { fixture in
            for _ in 0..<2 {
                fixture.record()
                await fixture.exporter.export()
            }
            let resources = fixture.collector.resources
            try #require(resources.count == 2)
            #expect(resources[0] == resources[1])
            let attributes = resources[0].elements
            #expect(
                attributes.map { $0["key"]?.text } == ["service.instance.id", "service.name", "service.version"])
            let values = attributes.map { $0["value"]?["stringValue"]?.text }
            #expect(values[1...] == ["happiness-test", ProductVersion.current])
            #expect(values[0].flatMap { UUID(uuidString: $0) } != nil)
        }
    }

    @Test func `A request has at most 512 spans`() async throws {
        try await TelemetryFixture.with { fixture in
            fixture.record(1_300)
            await fixture.exporter.export()
            #expect(fixture.collector.requests == 3)
            #expect(Set(fixture.collector.spans.compactMap { $0["spanId"]?.text }).count == 1_300)
        }
    }

    @Test func `A retry waits as long as the collector asks, and then nothing is lost`() async throws {
        try await TelemetryFixture.with { fixture in
            fixture.collector.fail(.response(503, retryAfter: "12"))
            fixture.record()
            // 12 s and half of 5 s at random are three rounds.
            for _ in 1...3 { await fixture.exporter.export() }
            #expect(fixture.collector.requests == 1)
            fixture.record()
            await fixture.exporter.export()
            #expect(fixture.collector.spans.count == 2 && fixture.dropped == "0")
            #expect(fixture.logged(Self.failure) == 1 && fixture.logged(Self.recovery) == 1)
        }
    }

    @Test(arguments: [SimulatedFault.close, .closeMidResponse, .hang, .hangAfterHead])
    func `A broken answer is retried, and logged once at its beginning and end`(fault: SimulatedFault) async throws {
        try await TelemetryFixture.with(deadline: .milliseconds(200)) { fixture in
            fixture.collector.fail(fault, fault)
            fixture.record()
            while fixture.logged(Self.recovery, signal: .traces) == 0 { await fixture.exporter.export() }
            #expect(fixture.collector.requests >= 3)
            // On a busy machine even a good answer may take too long, and metrics may fail a minute later.
            #expect(fixture.logged(Self.failure, signal: .traces) == 1)
            #expect(fixture.dropped == "0")
        }
    }

    @Test func `What the collector refuses is dropped, counted and logged once`() async throws {
        try await TelemetryFixture.with { fixture in
            fixture.collector.fail(.response(401), .redirect(to: "\(fixture.collector.baseURL)/v1/traces"))
            for _ in 0..<3 {
                fixture.record(2)
                await fixture.exporter.export()
            }
            #expect(fixture.collector.requests == 3 && fixture.collector.spans.count == 2)
            #expect(fixture.dropped == "4")
            #expect(fixture.logged(Self.failure) == 1 && fixture.logged(Self.recovery) == 1)
            #expect(!fixture.log.text.contains(TelemetryFixture.apiKey))
        }
    }

    @Test func `A partial success is logged and not sent again`() async throws {
        try await TelemetryFixture.with { fixture in
            let response = #"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#
            fixture.collector.fail(.response(200, body: response))
            fixture.record(3)
            for _ in 0..<2 { await fixture.exporter.export() }
            #expect(fixture.collector.requests == 1 && fixture.dropped == "2")
            #expect(fixture.log.text.contains("the collector rejected 2: too old"))
        }
    }

    @Test func `A stop exports what is left`() async throws {
        try await TelemetryFixture.with { fixture in
            fixture.record()
            try await stop(fixture)
            #expect(fixture.collector.spans.count == 1)
            #expect(fixture.collector.metrics.map { $0["name"]?.text } == ["trace_spans_dropped_total"])
        }
    }

    @Test func `A collector that hangs does not hold up a stop`() async throws {
        try await TelemetryFixture.with(stopLimit: .milliseconds(50)) { fixture in
            fixture.collector.fail(.hang)
            fixture.record()
            try await stop(fixture)
            #expect(fixture.logged("The last telemetry was not exported in time") == 1)
        }
    }

    @Test func `A collector that is known to be away is not asked at the stop`() async throws {
        try await TelemetryFixture.with { fixture in
            fixture.collector.fail(.response(503))
            fixture.record()
            await fixture.exporter.export()
            try await stop(fixture)
            #expect(fixture.collector.requests == 1)
        }
    }

    /// Starts the exporter in a service group, and stops it in its first pause.
    private func stop(_ fixture: TelemetryFixture) async throws {
        let group = ServiceGroup(services: [fixture.exporter], logger: Logger(label: "test"))
        async let run: Void = group.run()
        await fixture.pace.sleepers(atLeast: 1)
        await group.triggerGracefulShutdown()
        try await run
    }
}
