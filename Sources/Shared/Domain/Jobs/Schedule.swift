package import Foundation

/// Recurring jobs.
///
/// Each occasion has its own dedupe key, so it is enqueued once, however many workers follow the schedule. An occasion
/// that passed while no worker ran is skipped: each kind here catches up whenever it runs.
package struct Schedule: Sendable {
    /// Time between occasions, aligned to UTC.
    package enum Period: Int, Sendable, CaseIterable {
        /// At every full minute.
        case minute = 60
        /// At every full hour.
        case hour = 3_600
        /// At midnight, UTC.
        case day = 86_400
    }

    /// One kind of job with its period.
    package struct Entry: Sendable, Hashable {
        /// The kind of job; unique within a schedule.
        package let kind: String
        /// Time between its occasions.
        package let period: Period

        /// Schedules a kind of job once in every `period`.
        package init(kind: String, every period: Period) {
            self.kind = kind
            self.period = period
        }
    }

    /// The recurring jobs.
    package let entries: [Entry]

    /// Takes one entry for each kind.
    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// The latest occasion of each entry at or before `now`, as the job to enqueue.
    package func occasions(at now: Date) -> [Job] {
        entries.map { entry in
            let period = Double(entry.period.rawValue)
            let start = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / period).rounded(.down) * period)
            return Job(kind: entry.kind, dedupeKey: "\(entry.kind)|\(Self.minute(of: start))", runAt: start)
        }
    }

    /// `2026-11-20T10:05Z`. Every period is a whole number of minutes.
    private static func minute(of date: Date) -> String {
        let seconds = date.formatted(.iso8601)
        return "\(seconds.prefix("2026-11-20T10:05".count))Z"
    }
}
