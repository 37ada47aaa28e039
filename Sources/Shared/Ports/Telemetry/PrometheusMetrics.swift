package import Metrics
import Synchronization

/// A backend for swift-metrics that keeps every series in memory, renders them for Prometheus, and lends them to other
/// exporters.
///
/// - Labels and dimension names are converted to Prometheus' alphabet: `http.requests` becomes `http_requests`.
///   Counters end in `_total`, timers in `_seconds`.
/// - A counter becomes a counter, a meter or a gauge a gauge, an aggregating recorder a summary of sum and count, a
///   timer a histogram.
/// - A metric has at most `maximumSeries` combinations of dimensions. Further ones share one series with the value
///   `other`, so that hostile dimensions cannot fill the memory.
/// - Series live as long as the process: to Prometheus, a counter that disappears looks like a restart.
package final class PrometheusMetrics: MetricsFactory, Sendable {
    /// Maximum number of combinations of dimensions per metric.
    package static let maximumSeries = 500

    private let help: [String: String]
    private let collect: @Sendable () -> [ProcessMetric]
    private let registry = Mutex(Registry())

    /// - Parameters:
    ///   - help: descriptions of metrics, by rendered name.
    ///   - process: called for every rendering; the default reads `/proc/self`.
    package init(
        help: [String: String] = [:], process: @escaping @Sendable () -> [ProcessMetric] = ProcessMetric.current
    ) {
        self.help = help
        self.collect = process
    }

    /// All series in the text format, ordered by name and labels.
    /// [Text format 0.0.4](https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
    package func render() -> String {
        var writer = PrometheusWriter()
        for metric in readings() {
            writer.begin(metric.name, type: metric.type, help: metric.help)
            for series in metric.series { writer.write(series.reading, name: metric.name, labels: series.labels) }
        }
        return writer.text
    }

    /// The current values of all series, ordered by name and labels, and after them those of the process.
    package func readings() -> [MetricReading] {
        // The lock is held only to copy references: values are read outside.
        let families = registry.withLock { $0.families }
        var readings: [MetricReading] = []
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            let series = family.series.sorted(by: { $0.key < $1.key }).map { labels, series in
                MetricReading.Series(labels: labels, reading: series.reading())
            }
            readings.append(MetricReading(name: name, type: family.type, help: help[name], series: series))
        }
        for metric in collect() {
            let series = MetricReading.Series(labels: PrometheusLabels([]), reading: .value(metric.value))
            readings.append(
                MetricReading(name: metric.name, type: metric.type, help: metric.help, series: [series]))
        }
        return readings
    }

    /// The media type of `render`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// A counter of whole numbers.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, type: .counter, suffix: "_total") { CounterSeries() }
    }

    /// A counter of fractions; it ignores negative amounts and NaN.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, type: .counter, suffix: "_total") { FloatingPointCounterSeries() }
    }

    /// A gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, type: .gauge) { GaugeSeries() }
    }

    /// A summary if it aggregates, otherwise a gauge.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate
            ? series(label, dimensions, type: .summary) { SummarySeries() }
            : series(label, dimensions, type: .gauge) { GaugeSeries() }
    }

    /// A histogram in seconds, with the buckets of `HistogramSeries.bounds`.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, type: .histogram, suffix: "_seconds") { HistogramSeries() }
    }

    /// Does nothing: series live as long as the process.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: series live as long as the process.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing: series live as long as the process.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: series live as long as the process.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: series live as long as the process.
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of a label and dimensions, created if new. A name already used for another type of metric gets a
    /// series that is not rendered: a programming error that must not stop the program.
    private func series<Series: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], type: PrometheusType, suffix: String = "",
        make: () -> Series
    ) -> Series {
        let source = Registry.Source(label: label, type: type, dimensions: dimensions.flatMap { [$0.0, $0.1] })
        return registry.withLock { registry in
            if let known = registry.bySource[source] as? Series { return known }
            let name = PrometheusName.metric(label, suffix: suffix)
            let found = registry.find(
                name: name, labels: PrometheusLabels(dimensions), type: type, maximum: Self.maximumSeries, make: make)
            guard let found = found as? Series else { return make() }
            registry.remember(found, as: source, maximum: Self.maximumSeries)
            return found
        }
    }
}

/// A metric with the values of its series at one instant.
package struct MetricReading: Sendable {
    /// One set of labels with its values.
    package struct Series: Sendable {
        /// The labels.
        package let labels: PrometheusLabels
        /// The values.
        package let reading: PrometheusReading
    }

    /// The rendered name.
    package let name: String
    /// The type of all its series.
    package let type: PrometheusType
    /// Its description for operators.
    package let help: String?
    /// Ordered by labels.
    package let series: [Series]
}

/// All series under two keys: as rendered, and as requested, so that the frequent repeated request needs no renaming.
private struct Registry {
    struct Family {
        let type: PrometheusType
        var series: [PrometheusLabels: any PrometheusSeries] = [:]
    }

    struct Source: Hashable {
        let label: String
        let type: PrometheusType
        let dimensions: [String]
    }

    var families: [String: Family] = [:]
    var bySource: [Source: any PrometheusSeries] = [:]

    /// - Returns: `nil` if the name is already used for another type.
    mutating func find(
        name: String, labels: PrometheusLabels, type: PrometheusType, maximum: Int, make: () -> any PrometheusSeries
    ) -> (any PrometheusSeries)? {
        var family = families[name] ?? Family(type: type)
        guard family.type == type else { return nil }
        var labels = labels
        if family.series[labels] == nil, family.series.count >= maximum { labels = labels.other }
        let series = family.series[labels] ?? make()
        family.series[labels] = series
        families[name] = family
        return series
    }

    /// Also bounded: beyond the first `maximum` per metric, dimensions take the slow lookup.
    mutating func remember(_ series: any PrometheusSeries, as source: Source, maximum: Int) {
        guard sourceCounts[source.label, default: 0] < maximum else { return }
        sourceCounts[source.label, default: 0] += 1
        bySource[source] = series
    }

    private var sourceCounts: [String: Int] = [:]
}
