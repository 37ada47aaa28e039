package import Foundation

/// A period of a team with its label, from `start` up to but not including `end`.
package struct SprintSpan: Hashable, Sendable {
    /// The sprint's name, `2026/3`.
    package let label: SprintLabel
    /// The first instant that belongs to the sprint.
    package let start: Date
    /// The first instant after it; the start of the next sprint.
    package let end: Date

    /// For stored values. `start` must be before `end`.
    package init(label: SprintLabel, start: Date, end: Date) {
        self.label = label
        self.start = start
        self.end = end
    }

    /// Whether the instant belongs to the sprint.
    package func contains(_ instant: Date) -> Bool { start <= instant && instant < end }
}
