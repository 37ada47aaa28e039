import Foundation
import Shared

/// What a sprint is called in a sentence: its days in the team's time zone.
struct SprintWords: Sendable {
    let words: PageWords
    /// The team's.
    let zone: TimeZone

    /// `9–22 November`, or `26 October – 8 November`.
    func dates(of sprint: Sprint) -> String {
        let first = CalendarDay(instant: sprint.start, in: zone)
        let last = lastDay(of: sprint)
        let values = [
            "first": String(first.day), "firstMonth": month(of: first), "last": String(last.day),
            "lastMonth": month(of: last),
        ]
        return first.month == last.month && first.year == last.year
            ? words.text("calendar.oneMonth", values) : words.text("calendar.twoMonths", values)
    }

    /// How long one can still vote: `6 days left`.
    func rest(of sprint: Sprint, at now: Date) -> String {
        let days = CalendarDay(instant: now, in: zone).days(until: lastDay(of: sprint))
        switch days {
        case ..<1: return words.text("calendar.endsToday")
        case 1: return words.text("calendar.endsTomorrow")
        default: return words.text("calendar.daysLeft", ["days": String(days + 1)])
        }
    }

    /// The day on which the next sprint begins: `23 November`.
    func next(after sprint: Sprint) -> String {
        let day = CalendarDay(instant: sprint.end, in: zone)
        return words.text("calendar.day", ["day": String(day.day), "month": month(of: day)])
    }

    private func lastDay(of sprint: Sprint) -> CalendarDay {
        CalendarDay(instant: sprint.end, in: zone).adding(days: -1)
    }

    private func month(of day: CalendarDay) -> String {
        let names = words.text("calendar.months").split(separator: " ")
        return names.indices.contains(day.month - 1) ? String(names[day.month - 1]) : String(day.month)
    }
}
