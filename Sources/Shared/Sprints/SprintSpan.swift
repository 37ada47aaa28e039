public import Foundation

/// A stretch of a team's time with its label, from `start` up to but not including `end`.
public struct SprintSpan: Hashable, Sendable {
    /// The sprint's name, `2026/3`.
    public let label: SprintLabel
    /// The first instant that belongs to the sprint.
    public let start: Date
    /// The first instant that no longer does; the start of the next sprint.
    public let end: Date

    /// A span by its parts, for one that was stored. `start` must be before `end`.
    public init(label: SprintLabel, start: Date, end: Date) {
        self.label = label
        self.start = start
        self.end = end
    }

    /// Whether the instant belongs to the sprint.
    public func contains(_ instant: Date) -> Bool {
        start <= instant && instant < end
    }

    /// The month of the start as the first clients count it, 0 (January) ... 11.
    public func classicMonth(in zone: TimeZone) -> Int {
        CalendarDay(instant: start, in: zone).month - 1
    }
}
