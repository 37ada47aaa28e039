public import Foundation

/// One of a sprint's reminders to a team.
public struct ReminderOccasion: Hashable, Sendable {
    /// Which of a sprint's reminders it is.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Sent when the sprint starts.
        case first
        /// Sent towards its end, for teams that want one.
        case second
    }

    /// Which of the sprint's reminders it is.
    public let kind: Kind
    /// The day, in team time, on which all present members get it.
    public let day: CalendarDay
    /// The time in which it may be sent, starting at its minute; later it is skipped.
    public let window: Range<Date>

    /// Takes the values as given; `ReminderCalendar` computes them.
    public init(kind: Kind, day: CalendarDay, window: Range<Date>) {
        self.kind = kind
        self.day = day
        self.window = window
    }
}
