public import Foundation

/// One of a sprint's reminders to a team.
public struct ReminderOccasion: Hashable, Sendable {
    /// Which of a sprint's reminders it is.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// At the sprint's start.
        case first
        /// Towards its end, for teams that want one.
        case second
    }

    /// Which of the sprint's reminders it is.
    public let kind: Kind
    /// The day, team time, for everybody who is there on it.
    public let day: CalendarDay
    /// When it may be sent: from its minute on, and as long as it is worth making up for.
    public let window: Range<Date>

    /// An occasion by its parts; `ReminderCalendar` makes them.
    public init(kind: Kind, day: CalendarDay, window: Range<Date>) {
        self.kind = kind
        self.day = day
        self.window = window
    }
}
