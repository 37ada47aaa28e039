import Foundation
import Shared

/// The form for reminders, what they will say and when, and the quiet days.
struct TeamReminderPage: Page {
    static let template = "manage-reminders"

    let head: ManageHead
    /// The hidden field that says what the page showed.
    let seen: String
    /// What others changed while the form was open.
    let changes: [MeanwhileChange]
    let isChanged: Bool
    let isOn: Bool
    let hours: [ManageChoice]
    let remindsAgain: Bool
    let reminders: [Reminder]
    let preview: Preview
    let quietDays: [Day]
    let typedDays: TypedDays
    /// For the field: earlier days are over.
    let today: String

    /// One of a sprint's reminders, with its words.
    struct Reminder: Sendable {
        let title: String
        let texts: [ReminderTextField]
        /// Whether the team has words of its own.
        let isOwn: Bool
    }

    /// What is sent, and when.
    struct Preview: Sendable {
        /// Whether it is what was typed, and not what is kept.
        let isTried: Bool
        /// The next ones: `First reminder: 23 November 2026, 9:07 (sprint 2026/24)`.
        let times: [String]
        let hasTimes: Bool
        let messages: [Message]
    }

    /// A reminder as it arrives.
    struct Message: Sendable {
        let kind: String
        let language: String
        let code: String
        let title: String
        let body: String
    }

    /// A quiet day.
    struct Day: Sendable {
        let value: String
        let text: String
    }

    /// - Parameters:
    ///   - form: what the fields hold.
    ///   - seen: as `SeenFields` has it.
    ///   - stored: has the quiet days.
    ///   - isPreview: whether `preview` is of the form.
    ///   - typedDays: what the fields for quiet days hold.
    init(
        _ head: ManageHead, team: Team, form: TeamReminderForm, seen: String, changes: [MeanwhileChange],
        stored: ReminderSettings, preview: ReminderPreview, isPreview: Bool, typedDays: TypedDays, now: Date,
        words: PageWords, language: PageLanguage
    ) {
        self.head = head
        self.seen = seen
        self.changes = changes
        isChanged = !changes.isEmpty
        isOn = form.isOn
        hours = ReminderSettings.hours.map { hour in
            ManageChoice(
                String(hour), words.text("teamReminders.oClock", ["hour": String(hour)]),
                isChosen: String(hour) == form.hour)
        }
        remindsAgain = form.remindsAgain
        reminders = ReminderOccasion.Kind.allCases.map { kind in
            Reminder(
                title: words.text(kind),
                texts: MailLocale.allCases.map { locale in
                    ReminderTextField(
                        form[kind, locale], kind, locale,
                        standard: .standard(for: kind, in: locale))
                }, isOwn: form.texts[kind]?.contains { !$0.value.isEmpty } ?? false)
        }
        let times = preview.sprints.flatMap { planned in
            planned.occasions.filter { $0.window.upperBound > now }
                .map { Self.time(of: $0, in: planned.sprint, zone: team.settings.zone, words, language) }
        }
        self.preview = Preview(
            isTried: isPreview, times: times, hasTimes: !times.isEmpty,
            messages: ReminderOccasion.Kind.allCases.filter { $0 == .first || form.remindsAgain }.flatMap { kind in
                MailLocale.allCases.compactMap { locale in
                    preview.texts[kind]?[locale].map {
                        Message(
                            kind: words.text(kind), language: locale.name, code: locale.rawValue, title: $0.title,
                            body: $0.body)
                    }
                }
            })
        self.typedDays = typedDays
        let today = CalendarDay(instant: now, in: team.settings.zone)
        self.today = today.description
        quietDays = stored.holidays.filter { $0 >= today }.sorted().map {
            Day(value: $0.description, text: $0.text(in: language))
        }
    }

    /// From its parts.
    init(
        head: ManageHead, seen: String, changes: [MeanwhileChange], isOn: Bool, hours: [ManageChoice],
        remindsAgain: Bool, reminders: [Reminder], preview: Preview, quietDays: [Day], typedDays: TypedDays,
        today: String
    ) {
        self.head = head
        self.seen = seen
        self.changes = changes
        isChanged = !changes.isEmpty
        self.isOn = isOn
        self.hours = hours
        self.remindsAgain = remindsAgain
        self.reminders = reminders
        self.preview = preview
        self.quietDays = quietDays
        self.typedDays = typedDays
        self.today = today
    }

    private static func time(
        of occasion: ReminderOccasion, in sprint: Sprint, zone: TimeZone, _ words: PageWords, _ language: PageLanguage
    ) -> String {
        let seconds =
            Int(occasion.window.lowerBound.timeIntervalSince1970)
            + zone.secondsFromGMT(for: occasion.window.lowerBound)
        let minutes = ((seconds % 86_400) + 86_400) % 86_400 / 60
        let minute = minutes % 60
        return words.text(
            "teamReminders.nextTime",
            [
                "reminder": words.text(occasion.kind), "label": sprint.label.description,
                "day": occasion.day.text(in: language),
                "time": "\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)",
            ])
    }
}
