import Metrics
import Synchronization

/// The values of one metric under one set of labels. All callers of the same series share one handler.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The current values, for rendering.
    func reading() -> PrometheusReading
}

/// The values of a series at one instant.
package enum PrometheusReading: Equatable, Sendable {
    /// For a counter or gauge.
    case value(Double)
    /// For a summary.
    case summary(sum: Double, count: Int)
    /// For a histogram; `counts[i]` lies at or below `bounds[i]` and above the previous bound.
    case histogram(counts: [Int], sum: Double, count: Int)

    /// The upper bounds of a histogram's buckets, in seconds; a last bucket has what lies above all of them.
    package static var bounds: [Double] { HistogramSeries.bounds }
}

/// A counter of integers; incrementing is one atomic addition.
final class CounterSeries: PrometheusSeries, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }

    func reading() -> PrometheusReading { .value(Double(value.load(ordering: .relaxed))) }
}

/// A counter of fractions.
final class FloatingPointCounterSeries: PrometheusSeries, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    /// Ignores amounts that would decrease the counter or make it NaN.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func reset() {
        value.withLock { $0 = 0 }
    }

    func reading() -> PrometheusReading { .value(value.withLock { $0 }) }
}

/// The latest value.
final class GaugeSeries: PrometheusSeries, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) {
        self.value.withLock { $0 = value }
    }

    func increment(by amount: Double) {
        value.withLock { $0 += amount }
    }

    func decrement(by amount: Double) {
        value.withLock { $0 -= amount }
    }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func reading() -> PrometheusReading { .value(value.withLock { $0 }) }
}

/// Sum and count of the recorded values, for a mean over any period. No buckets, because the unit is unknown.
final class SummarySeries: PrometheusSeries, RecorderHandler {
    private let state = Mutex((sum: 0.0, count: 0))

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.withLock {
            $0.sum += value
            $0.count += 1
        }
    }

    func reading() -> PrometheusReading {
        let (sum, count) = state.withLock { $0 }
        return .summary(sum: sum, count: count)
    }
}

/// Durations, counted in fixed buckets.
final class HistogramSeries: PrometheusSeries, TimerHandler {
    /// Seconds: from a cached read, well under a millisecond, to a job's deadline.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    private struct State {
        /// One more than bounds: the last bucket counts values above all of them.
        var counts = [Int](repeating: 0, count: HistogramSeries.bounds.count + 1)
        var nanoseconds: Double = 0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.nanoseconds += Double(duration)
        }
    }

    func reading() -> PrometheusReading {
        let state = state.withLock { $0 }
        return .histogram(
            counts: state.counts, sum: state.nanoseconds / 1e9, count: state.counts.reduce(0, +))
    }
}
