import Foundation
import Metrics
import Testing

@testable import Ports

@Suite struct PrometheusMetricsTests {
    private let metrics = PrometheusMetrics(help: ["jobs_total": "Attempts."], process: { [] })

    @Test func `Every type is rendered in the order of name and labels`() {
        Counter(label: "jobs", dimensions: [("outcome", "done"), ("kind", "mail")], factory: metrics).increment(by: 3)
        Counter(label: "jobs", dimensions: [("kind", "clean"), ("outcome", "done")], factory: metrics).increment()
        FloatingPointCounter(label: "energy.used", factory: metrics).increment(by: 0.5)
        Gauge(label: "jobs_ready", factory: metrics).record(7)
        Meter(label: "temperature", factory: metrics).set(-1.25)
        Recorder(label: "batch_size", factory: metrics).record(2)
        Recorder(label: "batch_size", factory: metrics).record(4)
        #expect(
            metrics.render() == """
                # TYPE batch_size summary
                batch_size_sum 6
                batch_size_count 2
                # TYPE energy_used_total counter
                energy_used_total 0.5
                # TYPE jobs_ready gauge
                jobs_ready 7
                # HELP jobs_total Attempts.
                # TYPE jobs_total counter
                jobs_total{kind="clean",outcome="done"} 1
                jobs_total{kind="mail",outcome="done"} 3
                # TYPE temperature gauge
                temperature -1.25

                """)
    }

    @Test func `A timer is a histogram in seconds with cumulative buckets`() {
        let timer = Metrics.Timer(label: "http.request.duration", dimensions: [("method", "GET")], factory: metrics)
        timer.recordMilliseconds(1)
        timer.recordMilliseconds(30)
        timer.recordSeconds(90)
        #expect(
            metrics.render() == """
                # TYPE http_request_duration_seconds histogram
                http_request_duration_seconds_bucket{method="GET",le="0.001"} 1
                http_request_duration_seconds_bucket{method="GET",le="0.0025"} 1
                http_request_duration_seconds_bucket{method="GET",le="0.005"} 1
                http_request_duration_seconds_bucket{method="GET",le="0.01"} 1
                http_request_duration_seconds_bucket{method="GET",le="0.025"} 1
                http_request_duration_seconds_bucket{method="GET",le="0.05"} 2
                http_request_duration_seconds_bucket{method="GET",le="0.1"} 2
                http_request_duration_seconds_bucket{method="GET",le="0.25"} 2
                http_request_duration_seconds_bucket{method="GET",le="0.5"} 2
                http_request_duration_seconds_bucket{method="GET",le="1"} 2
                http_request_duration_seconds_bucket{method="GET",le="2.5"} 2
                http_request_duration_seconds_bucket{method="GET",le="5"} 2
                http_request_duration_seconds_bucket{method="GET",le="10"} 2
                http_request_duration_seconds_bucket{method="GET",le="30"} 2
                http_request_duration_seconds_bucket{method="GET",le="60"} 2
                http_request_duration_seconds_bucket{method="GET",le="+Inf"} 3
                http_request_duration_seconds_sum{method="GET"} 90.031
                http_request_duration_seconds_count{method="GET"} 3

                """)
    }

    @Test func `Hostile names and values stay on their line`() {
        let metrics = PrometheusMetrics(help: ["_1_odd_name": "back\\slash\nline \"quoted\""], process: { [] })
        let value = "quote \" back \\ line \n end"
        let gauge = Gauge(label: "1 odd-name", dimensions: [("le", value), ("grüße", "ü")], factory: metrics)
        gauge.record(Double.infinity)
        #expect(
            metrics.render() == #"""
                # HELP _1_odd_name back\\slash\nline "quoted"
                # TYPE _1_odd_name gauge
                _1_odd_name{gr____e="ü",le_="quote \" back \\ line \n end"} +Inf

                """#)
    }

    @Test func `Readings have names, values as given and buckets that are not added up`() throws {
        Counter(label: "jobs", dimensions: [("kind", "a \"b\"")], factory: metrics).increment(by: 3)
        Metrics.Timer(label: "wait", factory: metrics).recordSeconds(90)
        let readings = metrics.readings()
        #expect(readings.map(\.name) == ["jobs_total", "wait_seconds"])
        #expect(readings.map(\.help) == ["Attempts.", nil])
        #expect(readings[0].series.map(\.labels.values) == [["kind": "a \"b\""]])
        #expect(readings[0].series.map(\.reading) == [.value(3)])
        var counts = [Int](repeating: 0, count: PrometheusReading.bounds.count + 1)
        counts[PrometheusReading.bounds.count] = 1
        #expect(readings[1].series.map(\.reading) == [.histogram(counts: counts, sum: 90, count: 1)])
    }

    @Test func `Dimensions beyond the limit are counted together`() {
        for number in 0..<PrometheusMetrics.maximumSeries + 25 {
            Counter(label: "hits", dimensions: [("path", "/\(number)")], factory: metrics).increment()
        }
        Counter(label: "hits", dimensions: [("path", "/0")], factory: metrics).increment()
        let lines = metrics.render().split(separator: "\n")
        #expect(lines.count == PrometheusMetrics.maximumSeries + 2)
        #expect(lines.contains(#"hits_total{path="/0"} 2"#))
        #expect(lines.contains(#"hits_total{path="other"} 25"#))
    }

    @Test func `A name in use for another type is left alone`() {
        Gauge(label: "jobs_total", factory: metrics).record(1)
        Counter(label: "jobs", factory: metrics).increment(by: 5)
        #expect(metrics.render().hasSuffix("# TYPE jobs_total gauge\njobs_total 1\n"))
    }

    @Test func `Increments from many tasks are all counted`() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 {
                        Counter(label: "hits", factory: metrics).increment()
                        FloatingPointCounter(label: "parts", factory: metrics).increment(by: 0.5)
                    }
                }
            }
        }
        #expect(metrics.render().contains("hits_total 8000\n"))
        #expect(metrics.render().contains("parts_total 4000\n"))
    }

    @Test func `The process is read as /proc says`() throws {
        let stat = """
            4242 (odd) name) S 1 2 3 4 5 6 7 8 9 10 250 150 0 0 20 0 4 0 12300 99999999 2048 18446744073709551615
            """
        let values = try #require(
            ProcessStatistics(stat: stat, kernel: "cpu 1 2 3\nbtime 1700000000\n", ticksPerSecond: 100, pageSize: 4096))
        #expect(values.cpuSeconds == 4)
        #expect(values.residentBytes == 2048 * 4096)
        #expect(values.startTime == 1_700_000_123)
        #expect(ProcessStatistics(stat: "nonsense", kernel: "", ticksPerSecond: 100, pageSize: 4096) == nil)
    }

    @Test func `This process is rendered after the series`() throws {
        let names = ProcessMetric.current().map(\.name)
        #expect(
            names == [
                "process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes",
                "process_start_time_seconds",
            ])
        #expect(ProcessMetric.current().allSatisfy { $0.value > 0 })
        #expect(PrometheusMetrics().render().contains("# TYPE process_resident_memory_bytes gauge\n"))
    }
}
