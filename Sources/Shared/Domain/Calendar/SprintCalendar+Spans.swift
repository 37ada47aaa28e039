package import Foundation

extension SprintCalendar {
    /// Days for which spans are computed: years 2...9998, so that a sprint never exceeds the range of labels and
    /// `CalendarDay`.
    private static let days =
        CalendarDay.dayNumber(year: 2, month: 1, day: 1)...CalendarDay.dayNumber(year: 9998, month: 12, day: 31)

    /// The sprint of this calendar that contains the instant. Sprints follow each other without gap or overlap.
    ///
    /// Instants outside years 2...9998 give the first or last sprint of that range.
    /// - Complexity: about five lookups of the zone's offset.
    package func span(containing instant: Date, in zone: TimeZone) -> SprintSpan {
        span(startDay: startDay(runningAt: instant, in: zone), in: zone)
    }

    /// The start, as a day number, of the sprint that contains the instant.
    func startDay(runningAt instant: Date, in zone: TimeZone) -> Int {
        let local = CalendarDay.dayNumber(at: instant, in: zone)
        let day = min(max(local, Self.days.lowerBound), Self.days.upperBound)
        let start = startDay(onOrBefore: day)
        let next = startDay(afterStart: start)
        // If clocks reach Monday and are then set back to Sunday, the new sprint has still begun. It has not happened
        // on a Monday since 1970 (on Sundays it did, in St John's), but governments are inventive.
        let hasNextBegun = local == next - 1 && CalendarDay.firstInstant(dayNumber: next, in: zone) <= instant
        return hasNextBegun ? next : start
    }

    /// The sprint after a running one, whichever calendar and zone that has: see `span(startingAt:in:)`.
    package func span(after span: SprintSpan, in zone: TimeZone) -> SprintSpan {
        self.span(startingAt: span.end, in: zone)
    }

    /// The last sprint of this calendar that began before the given one; for a sprint of this calendar and zone that is
    /// its predecessor.
    package func span(before span: SprintSpan, in zone: TimeZone) -> SprintSpan {
        self.span(containing: span.start.addingTimeInterval(-1), in: zone)
    }

    /// All sprints of this calendar that overlap `from ..< until`, in order.
    package func spans(from: Date, until: Date, in zone: TimeZone) -> [SprintSpan] {
        guard from < until else { return [] }
        var day = startDay(runningAt: from, in: zone)
        var result = [span(startDay: day, in: zone)]
        while let last = result.last, last.end < until {
            day = startDay(afterStart: day)
            guard day <= Self.days.upperBound else { break }
            result.append(span(startDay: day, in: zone))
        }
        return result
    }

    /// The first sprint after a change of calendar or time zone, which starts when the running one ends.
    ///
    /// A change applies from the next boundary: the running sprint keeps its end, and that end is the `boundary` here.
    /// The new sprint lasts until this calendar's next start, so that the team follows the calendar from then on. If
    /// that leaves fewer than seven whole local days, it lasts until the start after: a sprint of some hours, only
    /// because the team moved to another zone, makes no sense. The limit is in days, not hours, because a week with a
    /// clock change is still a week.
    ///
    /// The label is that of the calendar's own sprint with the same end, so the following sprint never gets the same
    /// label. If the boundary is one of this calendar's own starts, the result equals `span(containing:in:)`.
    package func span(startingAt boundary: Date, in zone: TimeZone) -> SprintSpan {
        var own = span(containing: boundary, in: zone)
        guard own.start != boundary else { return own }
        let today = CalendarDay(instant: boundary, in: zone)
        let firstWholeDay = today.firstInstant(in: zone) == boundary ? today : today.adding(days: 1)
        if firstWholeDay.days(until: CalendarDay(instant: own.end, in: zone)) < 7 {
            own = span(containing: own.end, in: zone)
        }
        return SprintSpan(label: own.label, start: boundary, end: own.end)
    }

    private func span(startDay: Int, in zone: TimeZone) -> SprintSpan {
        SprintSpan(
            label: label(startDay: startDay),
            start: CalendarDay.firstInstant(dayNumber: startDay, in: zone),
            end: CalendarDay.firstInstant(dayNumber: self.startDay(afterStart: startDay), in: zone),
        )
    }
}
