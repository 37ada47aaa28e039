extension CalendarDay {
    /// Day numbers from the first to the last supported day.
    static let dayNumbers = dayNumber(year: 1, month: 1, day: 1)...dayNumber(year: 9999, month: 12, day: 31)

    /// Days since 1970-01-01, negative before.
    package var dayNumber: Int { Self.dayNumber(year: year, month: month, day: day) }

    /// The day with that number, clamped to the supported range.
    init(dayNumber: Int) {
        let civil = Self.civil(dayNumber: min(max(dayNumber, Self.dayNumbers.lowerBound), Self.dayNumbers.upperBound))
        self.init(knownYear: civil.year, month: civil.month, day: civil.day)
    }

    /// Day of the week as in ISO 8601: 1 (Monday) ... 7 (Sunday).
    package var weekday: Int { Self.weekday(dayNumber: dayNumber) }

    /// ISO 8601 week date: a week belongs to the year of its Thursday, so the year may differ from `year` by one around
    /// New Year. Week 1...53.
    package var isoWeek: (year: Int, week: Int) { Self.isoWeek(dayNumber: dayNumber) }

    /// The day that many days later (earlier if negative). Stops at 0001-01-01 and 9999-12-31.
    package func adding(days: Int) -> CalendarDay {
        let (sum, overflow) = dayNumber.addingReportingOverflow(days)
        return CalendarDay(dayNumber: overflow ? (days < 0 ? .min : .max) : sum)
    }

    /// Days from this day until the other, negative if the other is earlier.
    package func days(until other: CalendarDay) -> Int { other.dayNumber - dayNumber }

    static func weekday(dayNumber: Int) -> Int {
        // 1970-01-01, number 0, was a Thursday.
        floorModulo(dayNumber + 3, 7) + 1
    }

    static func isoWeek(dayNumber: Int) -> (year: Int, week: Int) {
        let thursday = dayNumber - weekday(dayNumber: dayNumber) + 4
        let year = civil(dayNumber: thursday).year
        return (year, (thursday - Self.dayNumber(year: year, month: 1, day: 1)) / 7 + 1)
    }

    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil and civil_from_days
    // (https://howardhinnant.github.io/date_algorithms.html): years start in March, so that the leap day comes last,
    // and form eras of 400 years, 146,097 days each.

    package static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorQuotient(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func civil(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let era = floorQuotient(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1,
        )
    }

    /// Division rounded towards minus infinity, for a positive divisor.
    static func floorQuotient(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// The remainder of `floorQuotient`: 0 ..< divisor.
    static func floorModulo(_ value: Int, _ divisor: Int) -> Int {
        value - floorQuotient(value, divisor) * divisor
    }
}
