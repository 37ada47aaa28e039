/// A day as people and spreadsheets write it: `2025-01-06`, `2025/01/06`, `6.1.2025`, and `1/6/2025` or `1-6-2025`, in
/// which the day or the month may come first.
package struct WrittenDay: Hashable, Sendable {
    /// What comes first if the text does not say it.
    package enum Order: CaseIterable, Sendable {
        /// `6/1/2025` is 6 January, as in most countries.
        case dayFirst
        /// `1/6/2025` is 6 January, as in the USA.
        case monthFirst
    }

    /// The day, if the day comes first; `nil` if there is no such day.
    package let dayFirst: CalendarDay?
    /// The day, if the month comes first; `nil` if there is no such day.
    package let monthFirst: CalendarDay?

    /// Parses a day with four digits for its year. Returns `nil` if it is not one in either order.
    package init?(_ text: String) {
        if let day = CalendarDay(text) {
            dayFirst = day
            monthFirst = day
        } else if let match = text.wholeMatch(of: /([0-9]{4})\/([0-9]{1,2})\/([0-9]{1,2})/) {
            dayFirst = Self.day(match.1, match.2, match.3)
            monthFirst = dayFirst
        } else if let match = text.wholeMatch(of: /([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})/) {
            // With points, the day always comes first (DIN 5008).
            dayFirst = Self.day(match.3, match.2, match.1)
            monthFirst = dayFirst
        } else if let match = text.wholeMatch(of: /([0-9]{1,2})[\/\-]([0-9]{1,2})[\/\-]([0-9]{4})/) {
            dayFirst = Self.day(match.3, match.2, match.1)
            monthFirst = Self.day(match.3, match.1, match.2)
        } else {
            return nil
        }
        guard dayFirst != nil || monthFirst != nil else { return nil }
    }

    /// The day in an order.
    package func day(_ order: Order) -> CalendarDay? {
        switch order {
        case .dayFirst: dayFirst
        case .monthFirst: monthFirst
        }
    }

    private static func day(_ year: Substring, _ month: Substring, _ day: Substring) -> CalendarDay? {
        guard let year = Int(year), let month = Int(month), let day = Int(day) else { return nil }
        return CalendarDay(year: year, month: month, day: day)
    }
}
