import Domain

/// A team's complete reminder settings as a client sends them.
struct ReminderSettingsRequest: Decodable {
    /// Title and body; a missing or empty one falls back to the standard text.
    struct Text: Decodable {
        let title: String?
        let body: String?
    }

    let isOn: Bool
    /// Missing in requests of older clients, which keep the team's timing.
    let timing: ReminderTiming?
    let hour: Int
    let remindsAgain: Bool
    /// Missing in requests of older clients, which keep the team's weekend.
    let weekend: Set<Weekday>?
    let holidays: [String]
    /// By reminder and language; a missing one falls back to the standard text.
    let texts: [String: [String: Text]]?
    /// Sent by clients that return what they have read; ignored.
    let standardTexts: [String: Anything]?

    /// Any value; ignored.
    struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Converts the request to the domain type; the service checks ranges.
    /// - Parameter present: the stored settings.
    /// - Throws: `AppError`: `malformed` for an invalid day, `unprocessable` for an unknown reminder or language.
    func settings(replacing present: ReminderSettings) throws(AppError) -> ReminderSettings {
        var settings = ReminderSettings(
            isOn: isOn, timing: timing ?? present.timing, hour: hour, remindsAgain: remindsAgain,
            weekend: weekend ?? present.weekend)
        for text in holidays {
            guard let day = CalendarDay(text) else {
                throw AppError(.malformed, "A day off must be a day such as 2026-12-24.")
            }
            settings.holidays.insert(day)
        }
        for (kind, translations) in texts ?? [:] {
            guard let kind = ReminderOccasion.Kind(rawValue: kind) else { throw AppError.noSuchReminder }
            settings.texts[kind] = try translations.texts
        }
        return settings
    }
}

extension [String: ReminderSettingsRequest.Text] {
    /// Keyed by the languages we support.
    /// - Throws: `AppError.unprocessable` (`no-such-language`).
    var texts: [MailLocale: ReminderText] {
        get throws(AppError) {
            var texts: [MailLocale: ReminderText] = [:]
            for (language, text) in self {
                guard let locale = MailLocale(installed: language) else { throw AppError.noSuchLanguage }
                texts[locale] = ReminderText(title: text.title ?? "", body: text.body ?? "")
            }
            return texts
        }
    }
}

extension AppError {
    /// Thrown for an unknown reminder name.
    static let noSuchReminder = AppError(.unprocessable, "There’s no such reminder. There are: first, second.")
}
