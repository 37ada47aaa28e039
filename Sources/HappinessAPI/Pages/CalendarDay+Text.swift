import Foundation
import Services

extension CalendarDay {
    /// A formatted day: `5 January 2026`, `5. Januar 2026`.
    func text(in language: PageLanguage) -> String {
        text(.long, in: language)
    }

    /// A short form: `5 Jan 2026`, `5. Jan. 2026`.
    func shortText(in language: PageLanguage) -> String {
        text(.abbreviated, in: language)
    }

    private func text(_ length: Date.FormatStyle.DateStyle, in language: PageLanguage) -> String {
        var style = Date.FormatStyle(date: length, time: .omitted, timeZone: .gmt)
        // By CLDR. English pages have the day before the month.
        style.locale = Locale(identifier: language == .english ? "en_GB" : language.rawValue)
        return firstInstant(in: .gmt).formatted(style)
    }
}
