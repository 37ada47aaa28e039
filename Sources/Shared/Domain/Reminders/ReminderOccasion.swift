package import Foundation

/// One of a sprint's reminders to a team.
package struct ReminderOccasion: Hashable, Sendable {
    /// Which of a sprint's reminders it is.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// Sent when the sprint starts.
        case first
        /// Sent towards its end, for teams that want one.
        case second
    }

    /// Which of the sprint's reminders it is.
    package let kind: Kind
    /// The day, in team time, on which all present members get it.
    package let day: CalendarDay
    /// The time in which it may be sent, starting at its minute; later it is skipped.
    package let window: Range<Date>

    /// Takes the values as given; `ReminderCalendar` computes them.
    package init(kind: Kind, day: CalendarDay, window: Range<Date>) {
        self.kind = kind
        self.day = day
        self.window = window
    }
}
