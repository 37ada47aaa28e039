import Domain
import Foundation
import Ports
import Synchronization

/// Measures this process's load since the previous reading.
final class ProcessMeter: Sendable {
    private struct Reading {
        let instant: Date
        let cpuSeconds: Double
        let counts: ServerActivity.Counts
    }

    private let activity: ServerActivity?
    private let metrics: @Sendable () -> [ProcessMetric]
    private let previous = Mutex<Reading?>(nil)

    /// - Parameters:
    ///   - activity: the process's request counters; `nil` if it serves no requests.
    ///   - metrics: reads the process's resource usage.
    init(activity: ServerActivity?, metrics: @escaping @Sendable () -> [ProcessMetric]) {
        self.activity = activity
        self.metrics = metrics
    }

    /// The load since the previous reading; the first one has no CPU and no requests.
    func read(at now: Date) -> ProcessLoad {
        let values = Dictionary(metrics().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let reading = Reading(
            instant: now, cpuSeconds: values["process_cpu_seconds_total"] ?? 0,
            counts: activity?.counts ?? ServerActivity.Counts())
        let before = previous.withLock { previous in
            defer { previous = reading }
            return previous
        }
        let seconds = before.map { now.timeIntervalSince($0.instant) } ?? 0
        let cpu = seconds > 0 ? (reading.cpuSeconds - (before?.cpuSeconds ?? 0)) / seconds : 0
        return ProcessLoad(
            memory: values["process_resident_memory_bytes"] ?? 0, cpu: cpu, connections: activity?.connections,
            requests: activity.map { _ in
                RequestRates(from: before?.counts ?? reading.counts, to: reading.counts, seconds: seconds)
            })
    }
}
