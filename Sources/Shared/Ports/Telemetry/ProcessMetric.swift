import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A metric that is read whenever metrics are: of the process itself, or of what it needs (`installation`). The former
/// are named as in
/// [Prometheus' client guidelines](https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
package struct ProcessMetric: Equatable, Sendable {
    /// The rendered name.
    package let name: String
    /// Counter or gauge.
    package let type: PrometheusType
    /// Its description for operators.
    package let help: String
    /// Its value now.
    package let value: Double

    /// Takes a metric with its current value.
    package init(name: String, type: PrometheusType, help: String, value: Double) {
        self.name = name
        self.type = type
        self.help = help
        self.value = value
    }

    /// The current metrics of this process, ordered by name; empty without `/proc`. Unreadable values are omitted.
    @Sendable package static func current() -> [ProcessMetric] {
        #if os(Linux)
        let manager = FileManager.default
        guard let stat = manager.contents(atPath: "/proc/self/stat").flatMap({ String(data: $0, encoding: .utf8) }),
            let kernel = manager.contents(atPath: "/proc/stat").flatMap({ String(data: $0, encoding: .utf8) }),
            let values = ProcessStatistics(
                stat: stat, kernel: kernel, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))),
                pageSize: Double(sysconf(Int32(_SC_PAGESIZE))))
        else { return [] }
        let descriptors: [String]
        do {
            descriptors = try manager.contentsOfDirectory(atPath: "/proc/self/fd")
        } catch {
            // Hidden in some sandboxes: omit the metric instead of reporting a wrong value.
            descriptors = []
        }
        return metrics(of: values, openDescriptors: descriptors.count)
        #else
        return []
        #endif
    }

    static func metrics(of values: ProcessStatistics, openDescriptors: Int) -> [ProcessMetric] {
        let cpu = ProcessMetric(
            name: "process_cpu_seconds_total", type: .counter,
            help: "Total user and system CPU time spent in seconds.", value: values.cpuSeconds)
        let descriptors = ProcessMetric(
            name: "process_open_fds", type: .gauge, help: "Number of open file descriptors.",
            value: Double(openDescriptors))
        let memory = ProcessMetric(
            name: "process_resident_memory_bytes", type: .gauge, help: "Resident memory size in bytes.",
            value: values.residentBytes)
        let start = ProcessMetric(
            name: "process_start_time_seconds", type: .gauge,
            help: "Start time of the process since unix epoch in seconds.", value: values.startTime)
        return [cpu] + (openDescriptors > 0 ? [descriptors] : []) + [memory, start]
    }
}

/// Values parsed from `/proc/self/stat` and `/proc/stat`, see proc(5).
struct ProcessStatistics: Equatable {
    /// User and system time.
    let cpuSeconds: Double
    /// Resident set.
    let residentBytes: Double
    /// Seconds since 1970.
    let startTime: Double

    /// - Parameters:
    ///   - stat: content of `/proc/self/stat`.
    ///   - kernel: content of `/proc/stat`, for the boot time.
    /// - Returns: `nil` if the format is not that of proc(5).
    init?(stat: String, kernel: String, ticksPerSecond: Double, pageSize: Double) {
        // The second field is the program's name in parentheses and may contain spaces and parentheses itself.
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: nameEnd)...].split(separator: " ")
        // proc(5) numbers fields from 1, and the array here begins with the third.
        func field(_ number: Int) -> Double? {
            fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil
        }
        let boot = kernel.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
        guard let user = field(14), let system = field(15), let start = field(22),
            let pages = field(24).map({ max(0, $0) }), let boot
        else { return nil }
        cpuSeconds = (user + system) / ticksPerSecond
        residentBytes = pages * pageSize
        startTime = boot + start / ticksPerSecond
    }
}
