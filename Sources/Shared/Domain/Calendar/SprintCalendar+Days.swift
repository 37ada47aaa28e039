/// The calendars as plain arithmetic on day numbers (days since 1970-01-01), independent of time zones.
extension SprintCalendar {
    /// The start of the sprint that contains the day.
    func startDay(onOrBefore day: Int) -> Int {
        let monday = day - CalendarDay.weekday(dayNumber: day) + 1
        switch self {
        case .isoFortnight:
            var start = monday
            // At most twice: from week 1 back to week 53, and from there to 52.
            while !Self.isEvenWeek(start) { start -= 7 }
            return start
        case .cadence(let anchor, let weeks):
            return monday - CalendarDay.floorModulo(monday - Self.monday(of: anchor).dayNumber, 7 * Self.allowed(weeks))
        }
    }

    /// The start of the sprint after the one that starts on the day.
    func startDay(afterStart start: Int) -> Int {
        switch self {
        case .isoFortnight: Self.isEvenWeek(start + 14) ? start + 14 : start + 21
        case .cadence(_, let weeks): start + 7 * Self.allowed(weeks)
        }
    }

    /// The label of the sprint that starts on the day.
    func label(startDay: Int) -> SprintLabel {
        let (year, week) = CalendarDay.isoWeek(dayNumber: startDay)
        return switch self {
        case .isoFortnight: SprintLabel(year: year, number: week / 2)
        case .cadence(_, let weeks): SprintLabel(year: year, number: (week - 1) / Self.allowed(weeks) + 1)
        }
    }

    private static func isEvenWeek(_ monday: Int) -> Bool {
        CalendarDay.isoWeek(dayNumber: monday).week % 2 == 0
    }
}
