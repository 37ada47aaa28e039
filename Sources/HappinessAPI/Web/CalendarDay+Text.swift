import Foundation
import Shared

extension CalendarDay {
    /// As people write a day: `5 January 2026`, `5. Januar 2026`.
    func text(in language: PageLanguage) -> String {
        var style = Date.FormatStyle(date: .long, time: .omitted, timeZone: .gmt)
        style.locale =
            switch language {
            case .english: Locale(identifier: "en_GB")
            case .german: Locale(identifier: "de")
            }
        return firstInstant(in: .gmt).formatted(style)
    }
}
