import Domain
import Foundation

extension CalendarDay {
    /// A formatted day: `5 January 2026`, `5. Januar 2026`.
    func text(in language: PageLanguage) -> String { text(.long, in: language) }

    /// A short form: `5 Jan 2026`, `5. Jan. 2026`.
    func shortText(in language: PageLanguage) -> String { text(.abbreviated, in: language) }

    private func text(_ length: Date.FormatStyle.DateStyle, in language: PageLanguage) -> String {
        var style = Date.FormatStyle(date: length, time: .omitted, timeZone: .gmt)
        // By CLDR. English pages have the day before the month.
        style.locale = Locale(identifier: language == .english ? "en_GB" : language.rawValue)
        return firstInstant(in: .gmt).formatted(style)
    }
}

extension Date {
    /// Date and time for operators, whose teams may be in many time zones: `21 November 2026, 09:05 UTC`.
    func text(inUTCFor language: PageLanguage) -> String {
        let time = formatted(
            .verbatim(
                "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
                timeZone: .gmt, calendar: Calendar(identifier: .iso8601)))
        return "\(CalendarDay(instant: self, in: .gmt).text(in: language)), \(time) UTC"
    }
}
