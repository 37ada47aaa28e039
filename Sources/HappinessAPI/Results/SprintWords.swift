import Foundation
import Services

/// Texts about a sprint: its days in the team's time zone.
struct SprintWords: Sendable {
    let words: PageWords
    /// The team's time zone.
    let zone: TimeZone

    /// `9–22 November`, or `26 October – 8 November`.
    func dates(of sprint: Sprint) -> String {
        dates(of: sprint, months: words.text("calendar.months"))
    }

    /// The short form for a table: `9–22 Nov`, or `26 Oct – 8 Nov`.
    func shortDates(of sprint: Sprint) -> String {
        dates(of: sprint, months: words.text("calendar.shortMonths"))
    }

    private func dates(of sprint: Sprint, months: String) -> String {
        let first = CalendarDay(instant: sprint.start, in: zone)
        let last = lastDay(of: sprint)
        let values = [
            "first": String(first.day), "firstMonth": month(of: first, in: months), "last": String(last.day),
            "lastMonth": month(of: last, in: months),
        ]
        return first.month == last.month && first.year == last.year
            ? words.text("calendar.oneMonth", values) : words.text("calendar.twoMonths", values)
    }

    /// The time left to vote: `6 days left`.
    func rest(of sprint: Sprint, at now: Date) -> String {
        let days = CalendarDay(instant: now, in: zone).days(until: lastDay(of: sprint))
        switch days {
        case ..<1: return words.text("calendar.endsToday")
        case 1: return words.text("calendar.endsTomorrow")
        default: return words.text("calendar.daysLeft", ["days": String(days + 1)])
        }
    }

    /// The first day of the next sprint: `23 November`.
    func next(after sprint: Sprint) -> String {
        let day = CalendarDay(instant: sprint.end, in: zone)
        let month = month(of: day, in: words.text("calendar.months"))
        return words.text("calendar.day", ["day": String(day.day), "month": month])
    }

    private func lastDay(of sprint: Sprint) -> CalendarDay {
        CalendarDay(instant: sprint.end, in: zone).adding(days: -1)
    }

    /// - Parameter names: the names of the twelve months, separated by spaces.
    private func month(of day: CalendarDay, in names: String) -> String {
        let names = names.split(separator: " ")
        return names.indices.contains(day.month - 1) ? String(names[day.month - 1]) : String(day.month)
    }
}
