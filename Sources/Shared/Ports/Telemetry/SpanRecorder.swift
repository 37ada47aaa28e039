import Domain
import Foundation
import Metrics
import Synchronization

/// Keeps the spans of this process until they are exported. Recording one never waits.
///
/// Callers decide what may be recorded: nothing about a ballot.
package final class SpanRecorder: Sendable {
    /// Maximum number of spans that wait, about a megabyte. Further ones are dropped and counted.
    package static let capacity = 2_048

    private let ratio: Double
    private let clock: WallClock
    private let random: @Sendable () -> UInt64
    private let dropped: Counter
    private let waiting = Mutex<[TraceSpan]>([])

    /// - Parameters:
    ///   - ratio: share of new traces to record, 0...1. Callers that continue a trace decide for it, unless this is 0.
    ///   - metrics: gets the counter of dropped spans.
    ///   - random: returns a new number for each id, never 0.
    package init(
        ratio: Double, clock: WallClock, metrics: PrometheusMetrics,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1...UInt64.max) }
    ) {
        self.ratio = ratio
        self.clock = clock
        self.random = random
        dropped = Counter(label: "trace_spans_dropped", dimensions: [], factory: metrics)
    }

    /// Records work that ends now.
    /// - Parameters:
    ///   - duration: how long it took.
    ///   - context: the trace it belongs to; `nil` for a new one.
    package func record(
        _ name: String, kind: TraceSpan.Kind, attributes: [String: TraceSpan.Value], hasFailed: Bool,
        duration: Duration, continuing context: TraceContext? = nil
    ) {
        guard ratio > 0 else { return }
        let low = random()
        // The highest 53 bits of a number are a fraction that `Double` represents exactly.
        guard context?.isSampled ?? (Double(low >> 11) * 0x1p-53 < ratio) else { return }
        let end = clock.now
        let span = TraceSpan(
            traceID: context?.traceID ?? Self.hexadecimal(random()) + Self.hexadecimal(low),
            spanID: Self.hexadecimal(random()), parentID: context?.parentID, name: name, kind: kind,
            start: end.addingTimeInterval(-duration.timeInterval), end: end, attributes: attributes,
            hasFailed: hasFailed)
        let isKept = waiting.withLock { waiting in
            guard waiting.count < Self.capacity else { return false }
            waiting.append(span)
            return true
        }
        if !isKept { countDropped(1) }
    }

    /// Removes the oldest spans, at most `count`, and returns them.
    package func take(_ count: Int) -> [TraceSpan] {
        waiting.withLock { waiting in
            let taken = Array(waiting.prefix(count))
            waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Counts spans that were taken and could not be exported.
    package func countDropped(_ count: Int) {
        dropped.increment(by: count)
    }

    /// 16 digits.
    private static func hexadecimal(_ number: UInt64) -> String {
        withUnsafeBytes(of: number.bigEndian) { $0.hexadecimal }
    }
}
