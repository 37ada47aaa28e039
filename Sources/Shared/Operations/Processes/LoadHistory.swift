public import Foundation
import Synchronization

/// How busy this process was in the last hour; in memory, for charts.
public final class LoadHistory: Sendable {
    /// A reading and when it was taken.
    public struct Sample: Hashable, Sendable {
        /// When.
        public let instant: Date
        /// What was read.
        public let load: ProcessLoad

        /// A sample from its parts.
        public init(instant: Date, load: ProcessLoad) {
            self.instant = instant
            self.load = load
        }
    }

    /// Seconds that samples are kept.
    public static let span: TimeInterval = 3_600
    /// An hour of them, at one every 15 s, and one more.
    private static let capacity = 241

    private let kept = Mutex<[Sample]>([])

    /// An empty one.
    public init() {}

    /// Adds a sample; the oldest one goes when there are too many.
    public func add(_ sample: Sample) {
        kept.withLock { kept in
            kept.append(sample)
            if kept.count > Self.capacity { kept.removeFirst(kept.count - Self.capacity) }
        }
    }

    /// Those of the last hour, the oldest one at the head.
    public func samples(at now: Date) -> [Sample] {
        kept.withLock { $0 }.filter { now.timeIntervalSince($0.instant) <= Self.span }
    }
}
