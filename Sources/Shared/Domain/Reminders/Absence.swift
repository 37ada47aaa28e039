package import Foundation

/// Days on which a member is away and gets no reminders.
package struct Absence: Hashable, Sendable, Codable {
    /// The first day away.
    package let first: CalendarDay
    /// The last day away; not before `first`.
    package let last: CalendarDay

    /// Maximum number of one member's current and future absences.
    package static let maximumCount = 10
    /// Maximum length of one absence in days, first and last included.
    package static let maximumDays = 366

    /// From the first day through the last; `validated` checks them.
    package init(first: CalendarDay, last: CalendarDay) {
        self.first = first
        self.last = last
    }

    /// Whether the absence includes that day.
    package func contains(_ day: CalendarDay) -> Bool { first <= day && day <= last }

    /// The list to be stored: ordered by first day, without duplicates and past absences.
    /// - Throws: `AppError.unprocessable` naming the violated rule.
    package static func validated(_ absences: [Absence], at now: Date) throws(AppError) -> [Absence] {
        for absence in absences {
            guard absence.first <= absence.last else {
                throw AppError(.unprocessable, "An absence ends before it begins.")
            }
            guard absence.first.days(until: absence.last) < maximumDays else {
                throw AppError(.unprocessable, "An absence is longer than \(maximumDays) days.")
            }
            guard [absence.first, absence.last].allSatisfy({ ReminderSettings.years.contains($0.year) }) else {
                let years = ReminderSettings.years
                throw AppError(
                    .unprocessable, "Absences must be in the years \(years.lowerBound) to \(years.upperBound).")
            }
        }
        let today = earliestToday(at: now)
        let ahead = Set(absences.filter { $0.last >= today })
        guard ahead.count <= maximumCount else {
            throw AppError(.unprocessable, "There are more than \(maximumCount) absences.")
        }
        return ahead.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
    }

    /// The current day where it is latest on Earth, fourteen hours ahead of UTC.
    package static func latestToday(at now: Date) -> CalendarDay {
        CalendarDay(instant: now.addingTimeInterval(14 * 3_600), in: .gmt)
    }

    /// The current day where it is earliest on Earth, twelve hours behind UTC. Users have no time zone here; every
    /// earlier day is over for all of them.
    package static func earliestToday(at now: Date) -> CalendarDay {
        CalendarDay(instant: now.addingTimeInterval(-12 * 3_600), in: .gmt)
    }
}

extension [Absence] {
    /// Whether one of them includes that day.
    func contain(_ day: CalendarDay) -> Bool { contains { $0.contains(day) } }
}
