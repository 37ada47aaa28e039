public import Foundation

/// Days on which a person is away and not to be reminded of anything.
public struct Absence: Hashable, Sendable, Codable {
    /// The first day away.
    public let first: CalendarDay
    /// The last day away; not before `first`.
    public let last: CalendarDay

    /// Absences one person may have ahead.
    public static let maximumCount = 10
    /// Days of one absence, first and last included.
    public static let maximumDays = 366

    /// From the first day through the last; `validated` checks them.
    public init(first: CalendarDay, last: CalendarDay) {
        self.first = first
        self.last = last
    }

    /// Whether the person is away on that day.
    public func contains(_ day: CalendarDay) -> Bool {
        first <= day && day <= last
    }

    /// What is kept of a person's list: in order of their first days, each once, without those that are over.
    /// - Throws: `AppError.refused` saying which rule one of them breaks.
    static func validated(_ absences: [Absence], at now: Date) throws(AppError) -> [Absence] {
        for absence in absences {
            guard absence.first <= absence.last else {
                throw AppError(.refused, "An absence ends before it begins.")
            }
            guard absence.first.days(until: absence.last) < maximumDays else {
                throw AppError(.refused, "An absence is longer than \(maximumDays) days.")
            }
            guard [absence.first, absence.last].allSatisfy({ ReminderSettings.years.contains($0.year) }) else {
                let years = ReminderSettings.years
                throw AppError(
                    .refused, "Absences must be in the years \(years.lowerBound) to \(years.upperBound).")
            }
        }
        let today = earliestToday(at: now)
        let ahead = Set(absences.filter { $0.last >= today })
        guard ahead.count <= maximumCount else {
            throw AppError(.refused, "There are more than \(maximumCount) absences.")
        }
        return ahead.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
    }

    /// The day it is at the instant where it is earliest on Earth, twelve hours behind UTC: a person has no time zone
    /// here, and before this day it is over for everybody.
    public static func earliestToday(at now: Date) -> CalendarDay {
        CalendarDay(instant: now.addingTimeInterval(-12 * 3_600), in: .gmt)
    }
}
