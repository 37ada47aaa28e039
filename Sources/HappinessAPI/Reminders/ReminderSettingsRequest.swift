import Shared

/// A team's reminder settings as a client sends them, as a whole.
struct ReminderSettingsRequest: Decodable {
    /// Title and body; what is missing or empty stands for the standard text.
    struct Text: Decodable {
        let title: String?
        let body: String?
    }

    let isOn: Bool
    let hour: Int
    let remindsAgain: Bool
    let holidays: [String]
    /// By reminder and language; what is missing stands for the standard text.
    let texts: [String: [String: Text]]?

    /// The same in our types; ranges are the service's matter.
    /// - Throws: `AppError`: `malformed` for a day that is none, `refused` for a reminder or language there is none of.
    var settings: ReminderSettings {
        get throws(AppError) {
            var settings = ReminderSettings(isOn: isOn, hour: hour, remindsAgain: remindsAgain)
            for text in holidays {
                guard let day = CalendarDay(text) else {
                    throw AppError(.malformed, "A holiday must be a day such as 2026-12-24.")
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
}

extension [String: ReminderSettingsRequest.Text] {
    /// By our languages.
    /// - Throws: `AppError.refused` (`no-such-language`).
    var texts: [MailLocale: ReminderText] {
        get throws(AppError) {
            var texts: [MailLocale: ReminderText] = [:]
            for (language, text) in self {
                guard let locale = MailLocale(rawValue: language) else { throw AppError.noSuchLanguage }
                texts[locale] = ReminderText(title: text.title ?? "", body: text.body ?? "")
            }
            return texts
        }
    }
}

extension AppError {
    /// Of a name that none of a sprint's reminders has.
    static let noSuchReminder = AppError(.refused, "There is no such reminder. There are: first, second.")
}
