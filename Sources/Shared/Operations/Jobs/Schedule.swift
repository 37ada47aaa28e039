public import Foundation

/// Jobs that come round by the clock.
///
/// Each occasion has a dedupe key of its own, so however many workers follow the schedule, it is enqueued once. An
/// occasion that passed while no worker ran is skipped: each kind here does all that is due whenever it runs.
public struct Schedule: Sendable {
    /// How often, counted in UTC.
    public enum Period: Int, Sendable, CaseIterable {
        /// At every full minute.
        case minute = 60
        /// At every full hour.
        case hour = 3_600
        /// At midnight, UTC.
        case day = 86_400
    }

    /// One kind of job and how often it comes.
    public struct Entry: Sendable, Hashable {
        /// The kind of job; once per schedule.
        public let kind: String
        /// How often.
        public let period: Period

        /// A kind of job that comes once in every `period`.
        public init(kind: String, every period: Period) {
            self.kind = kind
            self.period = period
        }
    }

    /// What comes round.
    public let entries: [Entry]

    /// A schedule of these.
    public init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// The latest occasion of each entry at or before `now`, as the job to enqueue.
    public func occasions(at now: Date) -> [Job] {
        entries.map { entry in
            let period = Double(entry.period.rawValue)
            let start = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / period).rounded(.down) * period)
            return Job(kind: entry.kind, dedupeKey: "\(entry.kind)|\(Self.minute(of: start))", runAt: start)
        }
    }

    /// `2026-11-20T10:05Z`. Every period is whole minutes.
    private static func minute(of date: Date) -> String {
        let seconds = date.formatted(.iso8601)
        return "\(seconds.prefix("2026-11-20T10:05".count))Z"
    }
}
