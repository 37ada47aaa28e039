import Foundation
import Metrics
import Testing

@testable import Ports
@testable import Telemetry

/// The JSON of traces and metrics.
@Suite struct OTLPBodyTests {
    private static let now = Date(timeIntervalSince1970: 1_795_220_931)

    private func json(_ body: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }

    private func metric(_ metrics: PrometheusMetrics) throws -> String {
        let reading = try #require(metrics.readings().first)
        return try json(OTLPMetric(reading, started: Self.now - 60, now: Self.now))
    }

    @Test func `A span has its times in digits and its numbers as text`() throws {
        let span = TraceSpan(
            traceID: "4bf92f3577b34da6a3ce929d0e0e4736", spanID: "00f067aa0ba902b7", parentID: nil,
            name: "GET /teams/{team}", kind: .server, start: Self.now - 0.25, end: Self.now,
            attributes: ["http.route": .text("/teams/{team}"), "http.response.status_code": .number(200)],
            hasFailed: false)
        let attributes =
            #"[{"key":"http.response.status_code","value":{"intValue":"200"}},"#
            + #"{"key":"http.route","value":{"stringValue":"/teams/{team}"}}]"#
        #expect(
            try json(OTLPSpan(span))
                == #"{"attributes":\#(attributes),"endTimeUnixNano":"1795220931000000000","kind":2,"#
                + #""name":"GET /teams/{team}","spanId":"00f067aa0ba902b7","startTimeUnixNano":"1795220930750000000","#
                + #""traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}"#)
    }

    @Test func `A failed span with a parent names both`() throws {
        let span = TraceSpan(
            traceID: "4bf92f3577b34da6a3ce929d0e0e4736", spanID: "00f067aa0ba902b7", parentID: "00f067aa0ba902b8",
            name: "closeSprints", kind: .internal, start: Self.now, end: Self.now, attributes: [:], hasFailed: true)
        let text = try json(OTLPSpan(span))
        #expect(text.contains(#""parentSpanId":"00f067aa0ba902b8""#))
        #expect(text.contains(#""status":{"code":2}"#) && text.contains(#""kind":1"#))
    }

    @Test func `A counter is a cumulative sum that only grows`() throws {
        let metrics = PrometheusMetrics(help: ["jobs_total": "Attempts."], process: { [] })
        Counter(label: "jobs", dimensions: [("kind", "mail")], factory: metrics).increment(by: 3)
        let attributes = #"[{"key":"kind","value":{"stringValue":"mail"}}]"#
        #expect(
            try metric(metrics)
                == #"{"description":"Attempts.","name":"jobs_total","sum":{"aggregationTemporality":2,"dataPoints":"#
                + #"[{"asDouble":3,"attributes":\#(attributes),"startTimeUnixNano":"1795220871000000000","#
                + #""timeUnixNano":"1795220931000000000"}],"isMonotonic":true}}"#)
    }

    @Test func `A gauge has no start, and its unit comes from its name`() throws {
        let metrics = PrometheusMetrics(process: { [] })
        Gauge(label: "memory_bytes", factory: metrics).record(7.5)
        #expect(
            try metric(metrics)
                == #"{"gauge":{"dataPoints":[{"asDouble":7.5,"attributes":[],"timeUnixNano":"1795220931000000000"}]},"#
                + #""name":"memory_bytes","unit":"By"}"#)
    }

    @Test func `A timer is a histogram whose buckets are not added up`() throws {
        let metrics = PrometheusMetrics(process: { [] })
        let timer = Metrics.Timer(label: "wait", factory: metrics)
        for seconds in [0.5, 2, 90.0] { timer.recordNanoseconds(Int64(seconds * 1e9)) }
        let metric = OTLPMetric(try #require(metrics.readings().first), started: Self.now - 60, now: Self.now)
        #expect(metric.name == "wait_seconds" && metric.unit == "s")
        #expect(metric.histogram?.aggregationTemporality == 2)
        let point = try #require(metric.histogram?.dataPoints.first)
        #expect(point.count == "3" && point.sum == 92.5)
        let bounds = try #require(point.explicitBounds)
        let counts = try #require(point.bucketCounts)
        #expect(counts.count == bounds.count + 1)
        // A value belongs to the bucket that ends with the first bound that is not below it.
        for (seconds, bound) in [(0.5, 0.5), (2.0, 2.5)] {
            let bucket = try #require(bounds.firstIndex(of: bound), "\(seconds)")
            #expect(counts[bucket] == "1")
        }
        #expect(counts.last == "1" && counts.count { $0 == "0" } == counts.count - 3)
    }

    @Test func `A recorder is a summary without quantiles`() throws {
        let metrics = PrometheusMetrics(process: { [] })
        Recorder(label: "batch_size", factory: metrics).record(6)
        let text = try metric(metrics)
        #expect(text.contains(#""summary":{"dataPoints":[{"attributes":[],"count":"1","#) && text.contains(#""sum":6"#))
    }
}
