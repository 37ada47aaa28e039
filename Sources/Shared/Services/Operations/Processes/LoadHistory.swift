package import Domain
package import Foundation
import Synchronization

/// This process's load over the last hour, kept in memory for charts.
package final class LoadHistory: Sendable {
    /// One reading with its time.
    package struct Sample: Hashable, Sendable {
        /// The time of the reading.
        package let instant: Date
        /// The rounded load at that time.
        package let load: ProcessLoad

        /// Takes a reading with its time.
        package init(instant: Date, load: ProcessLoad) {
            self.instant = instant
            self.load = load
        }
    }

    /// One hour at one sample every 15 s, plus one.
    private static let capacity = 241

    private let kept = Mutex<[Sample]>([])

    /// Starts with no samples.
    package init() {}

    /// Adds a sample; removes the oldest if there are too many.
    package func add(_ sample: Sample) {
        kept.withLock { kept in
            kept.append(sample)
            if kept.count > Self.capacity { kept.removeFirst(kept.count - Self.capacity) }
        }
    }

    /// The samples of the last hour, oldest first.
    package func samples(at now: Date) -> [Sample] {
        kept.withLock { $0 }.filter { now.timeIntervalSince($0.instant) <= LoadChart.span }
    }
}
