import Foundation
import Ports

/// The body of `POST /v1/metrics`: an `ExportMetricsServiceRequest` in JSON
/// (https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto).
struct OTLPMetrics: Encodable, Sendable {
    /// The metrics of one process.
    struct ResourceMetrics: Encodable, Sendable {
        let resource: OTLPResource
        let scopeMetrics: [ScopeMetrics]
    }

    /// The metrics of one library, here of the program itself.
    struct ScopeMetrics: Encodable, Sendable {
        let scope = OTLPScope()
        let metrics: [OTLPMetric]
    }

    let resourceMetrics: [ResourceMetrics]

    /// - Parameters:
    ///   - started: since when counters and histograms count.
    ///   - now: when the values were read.
    init(_ readings: [MetricReading], of resource: OTLPResource, started: Date, now: Date) {
        let metrics = readings.map { OTLPMetric($0, started: started, now: now) }
        resourceMetrics = [ResourceMetrics(resource: resource, scopeMetrics: [ScopeMetrics(metrics: metrics)])]
    }
}

/// A metric with its series, under its name for Prometheus, so that a dashboard needs no second name.
struct OTLPMetric: Encodable, Sendable {
    /// The points of any type of metric.
    struct Points: Encodable, Sendable {
        let dataPoints: [OTLPPoint]
        var aggregationTemporality: Int?
        var isMonotonic: Bool?
    }

    let name: String
    let description: String?
    /// By [UCUM](https://ucum.org/ucum), as far as the name tells it.
    let unit: String?
    // One of them, by the metric's type.
    private(set) var sum: Points?
    private(set) var gauge: Points?
    private(set) var summary: Points?
    private(set) var histogram: Points?

    /// AGGREGATION_TEMPORALITY_CUMULATIVE: each value counts from the start, so a lost request loses nothing.
    private static let cumulative = 2

    init(_ metric: MetricReading, started: Date, now: Date) {
        name = metric.name
        description = metric.help
        unit = Self.unit(of: metric.name)
        let points = metric.series.map { series in
            OTLPPoint(series, started: metric.type == .gauge ? nil : started, now: now)
        }
        switch metric.type {
        case .counter:
            sum = Points(dataPoints: points, aggregationTemporality: Self.cumulative, isMonotonic: true)
        case .gauge: gauge = Points(dataPoints: points)
        case .summary: summary = Points(dataPoints: points)
        case .histogram: histogram = Points(dataPoints: points, aggregationTemporality: Self.cumulative)
        }
    }

    private static func unit(of name: String) -> String? {
        let name = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
        if name.hasSuffix("_seconds") { return "s" }
        return name.hasSuffix("_bytes") ? "By" : nil
    }
}

/// The values of a series.
struct OTLPPoint: Encodable, Sendable {
    let attributes: [OTLPAttribute]
    let startTimeUnixNano: String?
    let timeUnixNano: String
    // Of a counter or gauge.
    private(set) var asDouble: Double?
    // Of a summary or histogram.
    private(set) var count: String?
    private(set) var sum: Double?
    // Of a histogram.
    private(set) var bucketCounts: [String]?
    private(set) var explicitBounds: [Double]?

    /// - Parameter started: `nil` for a gauge.
    init(_ series: MetricReading.Series, started: Date?, now: Date) {
        attributes = OTLPAttribute.list(series.labels.values.mapValues { .text($0) })
        startTimeUnixNano = started?.unixNanoseconds
        timeUnixNano = now.unixNanoseconds
        switch series.reading {
        case .value(let value): asDouble = value
        case .summary(let sum, let count):
            self.sum = sum
            self.count = String(count)
        case .histogram(let counts, let sum, let count):
            self.sum = sum
            self.count = String(count)
            bucketCounts = counts.map { String($0) }
            explicitBounds = PrometheusReading.bounds
        }
    }
}
