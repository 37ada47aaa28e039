import Foundation
import Ports
import TestSupport
import Testing

/// Which spans are kept, and for how long.
@Suite struct SpanRecorderTests {
    private static let now = Date(timeIntervalSince1970: 1_795_168_800)
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"
    private let metrics = PrometheusMetrics(process: { [] })

    private func recorder(ratio: Double = 1, random: UInt64 = 0x2a) -> SpanRecorder {
        SpanRecorder(ratio: ratio, clock: WallClock { Self.now }, metrics: metrics, random: { random })
    }

    private func record(in spans: SpanRecorder, sampled: Bool? = nil) {
        let context = sampled.flatMap {
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-\($0 ? "01" : "00")")
        }
        spans.record(
            "GET /health", kind: .server, attributes: ["http.route": .text("/health")], hasFailed: false,
            duration: .milliseconds(250), continuing: context)
    }

    @Test func `A span ends now, and has ids of its own`() throws {
        let spans = recorder()
        record(in: spans)
        let span = try #require(spans.take(10).first)
        #expect(span.traceID == "000000000000002a000000000000002a" && span.spanID == "000000000000002a")
        #expect(span.parentID == nil)
        #expect(span.start == Self.now - 0.25 && span.end == Self.now)
        #expect(spans.take(10).isEmpty)
    }

    @Test func `A caller's trace is continued, and the caller decides whether to record it`() throws {
        let spans = recorder(ratio: 0.000_1, random: .max)
        record(in: spans, sampled: true)
        let span = try #require(spans.take(10).first)
        #expect(span.traceID == Self.trace && span.parentID == Self.parent)
        record(in: spans, sampled: false)
        #expect(spans.take(10).isEmpty)
    }

    @Test(arguments: [
        (1.0, UInt64.max, true), (0.5, UInt64.max / 2 - 4_096, true), (0.5, UInt64.max / 2 + 4_096, false),
        (0.0, UInt64(1), false),
    ])
    func `The ratio decides about new traces`(ratio: Double, random: UInt64, isKept: Bool) {
        let spans = recorder(ratio: ratio, random: random)
        record(in: spans)
        #expect(spans.take(10).isEmpty != isKept)
    }

    @Test func `With ratio 0, no caller can ask for a span`() {
        let spans = recorder(ratio: 0)
        record(in: spans, sampled: true)
        #expect(spans.take(10).isEmpty)
    }

    @Test func `Spans beyond the capacity are dropped and counted`() {
        let spans = recorder()
        for _ in 0..<SpanRecorder.capacity + 3 { record(in: spans) }
        #expect(spans.take(SpanRecorder.capacity + 10).count == SpanRecorder.capacity)
        #expect(metrics.render().contains("trace_spans_dropped_total 3\n"))
        record(in: spans)
        #expect(spans.take(10).count == 1)
    }
}
