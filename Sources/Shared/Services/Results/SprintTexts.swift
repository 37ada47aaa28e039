package import Domain
package import Foundation

/// Texts about a sprint: its days in the team's time zone.
package struct SprintTexts: Sendable {
    private let words: LocalizedTexts
    /// The team's time zone.
    private let zone: TimeZone

    /// Words for sprints in a team's time zone.
    package init(words: LocalizedTexts, zone: TimeZone) {
        self.words = words
        self.zone = zone
    }

    /// `9–22 November`, or `26 October – 8 November`.
    package func dates(of sprint: Sprint) -> String {
        dates(of: sprint, months: words.text("calendar.months"))
    }

    /// The short form for a table: `9–22 Nov`, or `26 Oct – 8 Nov`.
    package func shortDates(of sprint: Sprint) -> String {
        dates(of: sprint, months: words.text("calendar.shortMonths"))
    }

    /// With the year of the last day: `9–22 November 2026`. A heading on a phone needs two lines.
    package func datesWithYear(of sprint: Sprint) -> String {
        "\(dates(of: sprint)) \(lastDay(of: sprint).year)"
    }

    /// The short form with the year of the last day: `9–22 Nov 2026`.
    package func shortDatesWithYear(of sprint: Sprint) -> String {
        "\(shortDates(of: sprint))\u{a0}\(lastDay(of: sprint).year)"
    }

    /// The same for the first instant of a sprint and the first one after it.
    package func dates(from start: Date, to end: Date) -> String {
        dates(from: start, to: end, months: words.text("calendar.months"))
    }

    private func dates(of sprint: Sprint, months: String) -> String {
        dates(from: sprint.start, to: sprint.end, months: months)
    }

    private func dates(from start: Date, to end: Date, months: String) -> String {
        let first = CalendarDay(instant: start, in: zone)
        let last = CalendarDay(instant: end, in: zone).adding(days: -1)
        let values = [
            "first": String(first.day), "firstMonth": Self.month(of: first, in: months), "last": String(last.day),
            "lastMonth": Self.month(of: last, in: months),
        ]
        return first.month == last.month && first.year == last.year
            ? words.text("calendar.oneMonth", values) : words.text("calendar.twoMonths", values)
    }

    /// The time left to vote: `6 days left`.
    package func rest(of sprint: Sprint, at now: Date) -> String {
        let days = CalendarDay(instant: now, in: zone).days(until: lastDay(of: sprint))
        switch days {
        case ..<1: return words.text("calendar.endsToday")
        case 1: return words.text("calendar.endsTomorrow")
        default: return words.text("calendar.daysLeft", ["days": String(days + 1)])
        }
    }

    /// The first day of the next sprint: `23 November`.
    package func next(after sprint: Sprint) -> String {
        Self.text(of: CalendarDay(instant: sprint.end, in: zone), words)
    }

    /// A day of the present year: `23 November`.
    package static func text(of day: CalendarDay, _ words: LocalizedTexts) -> String {
        let month = month(of: day, in: words.text("calendar.months"))
        return words.text("calendar.day", ["day": String(day.day), "month": month])
    }

    private func lastDay(of sprint: Sprint) -> CalendarDay {
        CalendarDay(instant: sprint.end, in: zone).adding(days: -1)
    }

    /// - Parameter names: the names of the twelve months, separated by spaces.
    private static func month(of day: CalendarDay, in names: String) -> String {
        let names = names.split(separator: " ")
        return names.indices.contains(day.month - 1) ? String(names[day.month - 1]) : String(day.month)
    }
}
