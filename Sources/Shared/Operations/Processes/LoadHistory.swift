public import Foundation
import Synchronization

/// This process's load over the last hour, kept in memory for charts.
public final class LoadHistory: Sendable {
    /// One reading with its time.
    public struct Sample: Hashable, Sendable {
        /// The time of the reading.
        public let instant: Date
        /// The rounded load at that time.
        public let load: ProcessLoad

        /// Takes a reading with its time.
        public init(instant: Date, load: ProcessLoad) {
            self.instant = instant
            self.load = load
        }
    }

    /// Seconds for which samples are kept.
    public static let span: TimeInterval = 3_600
    /// One hour at one sample every 15 s, plus one.
    private static let capacity = 241

    private let kept = Mutex<[Sample]>([])

    /// Starts with no samples.
    public init() {}

    /// Adds a sample; removes the oldest if there are too many.
    public func add(_ sample: Sample) {
        kept.withLock { kept in
            kept.append(sample)
            if kept.count > Self.capacity { kept.removeFirst(kept.count - Self.capacity) }
        }
    }

    /// The samples of the last hour, oldest first.
    public func samples(at now: Date) -> [Sample] {
        kept.withLock { $0 }.filter { now.timeIntervalSince($0.instant) <= Self.span }
    }
}
