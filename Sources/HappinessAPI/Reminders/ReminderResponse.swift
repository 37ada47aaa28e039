import Domain
import Foundation

/// Texts by reminder and language: `{"first": {"en": {"title": …, "body": …}}}`.
typealias ReminderTextsByKind = [String: [String: ReminderText]]

/// A team's reminder settings as its members see them.
struct ReminderSettingsResponse: Encodable {
    let isOn: Bool
    let timing: ReminderTiming
    let hour: Int
    let remindsAgain: Bool
    /// From Monday on.
    let weekend: [Weekday]
    /// In ascending order.
    let holidays: [CalendarDay]
    /// The team's own texts; an empty one falls back to the standard text.
    let texts: ReminderTextsByKind
    /// The standard texts, with their placeholders.
    let standardTexts: ReminderTextsByKind

    /// - Parameter standard: the program's texts.
    init(_ settings: ReminderSettings, standard: Texts) {
        isOn = settings.isOn
        timing = settings.timing
        hour = settings.hour
        remindsAgain = settings.remindsAgain
        weekend = settings.weekend.sorted()
        holidays = settings.holidays.sorted()
        texts = settings.texts.response
        standardTexts = ReminderText.standardTexts(at: settings.timing, in: standard).response
    }
}

/// A preview of reminders: their texts and when they are sent.
struct ReminderPreviewResponse: Encodable {
    struct Sprint: Encodable {
        let label: String
        let start: Date
        let end: Date
        let reminders: [Reminder]
    }

    struct Reminder: Encodable {
        let kind: ReminderOccasion.Kind
        /// In the team's time zone.
        let day: CalendarDay
        let from: Date
        /// A missed reminder is still sent until then.
        let until: Date
    }

    /// With placeholders filled in.
    let texts: ReminderTextsByKind
    /// The running sprint and the next one.
    let sprints: [Sprint]

    init(_ preview: ReminderPreview) {
        texts = preview.texts.response
        sprints = preview.sprints.map { planned in
            Sprint(
                label: planned.sprint.label.description, start: planned.sprint.start, end: planned.sprint.end,
                reminders: planned.occasions.map { occasion in
                    Reminder(
                        kind: occasion.kind, day: occasion.day, from: occasion.window.lowerBound,
                        until: occasion.window.upperBound)
                })
        }
    }
}

extension [ReminderOccasion.Kind: [MailLocale: ReminderText]] {
    /// With strings as keys, since JSON has no others.
    fileprivate var response: ReminderTextsByKind {
        ReminderTextsByKind(
            uniqueKeysWithValues: map { kind, translations in (kind.rawValue, translations.response) })
    }
}

extension [MailLocale: ReminderText] {
    /// With strings as keys, since JSON has no others.
    var response: [String: ReminderText] {
        [String: ReminderText](uniqueKeysWithValues: map { locale, text in (locale.rawValue, text) })
    }
}
