import Domain
import Foundation
import Services

/// The form for reminders, a preview, and the quiet days.
struct TeamReminderPage: Page {
    static let template = "manage-reminders"

    let head: ManageHead
    /// The hidden field with the values that the page showed.
    let seen: String
    /// Changes by other users while the form was open.
    let changes: [ConcurrentEdit]
    let isChanged: Bool
    let isOn: Bool
    let timings: [FormOption]
    let hours: [FormOption]
    let remindsAgain: Bool
    let weekends: [FormOption]
    let reminders: [Reminder]
    let preview: Preview
    let quietDays: [Days]
    let typedDays: TypedDays
    /// Earliest day for the field.
    let today: String

    /// One of a sprint's reminders, with its texts.
    struct Reminder: Sendable {
        let title: String
        let texts: [ReminderTextField]
        /// Whether the team has a text of its own.
        let isOwn: Bool
    }

    /// The texts to be sent, and their days.
    struct Preview: Sendable {
        /// Whether it previews the typed settings rather than the stored ones.
        let isTried: Bool
        /// The next reminders: `First reminder: 23 November 2026, 9:07 (sprint 2026/24)`.
        let times: [String]
        let hasTimes: Bool
        let messages: [Message]
    }

    /// A reminder as the recipient sees it.
    struct Message: Sendable {
        let kind: String
        let language: String
        let code: String
        let title: String
        let body: String
    }

    /// Successive quiet days.
    struct Days: Sendable {
        let first: String
        let last: String
        let text: String
    }

    /// The weekends to choose from: those of most countries, and none for shifts. The API takes any days.
    private static let usualWeekends: [Set<Weekday>] = [
        [.saturday, .sunday], [.friday, .saturday], [.thursday, .friday], [.friday, .sunday], [.sunday], [.saturday],
        [.friday], [],
    ]

    private static func weekends(chosen: String, _ words: LocalizedTexts) -> [FormOption] {
        let present = WeekdayList(chosen).map { [$0.days] } ?? []
        let choices = usualWeekends + present.filter { !usualWeekends.contains($0) }
        return choices.map { days in
            FormOption(
                WeekdayList(days: days).description, words.text(days), isChosen: present.contains(days))
        }
    }

    private static func time(
        of occasion: ReminderOccasion, in sprint: Sprint, zone: TimeZone, _ words: LocalizedTexts,
        _ language: PageLanguage
    ) -> String {
        let seconds =
            Int(occasion.window.lowerBound.timeIntervalSince1970)
            + zone.secondsFromGMT(for: occasion.window.lowerBound)
        let minutes = ((seconds % 86_400) + 86_400) % 86_400 / 60
        let minute = minutes % 60
        return words.text(
            "teamReminders.nextTime",
            [
                "reminder": words.text(occasion.kind),
                "dates": SprintTexts(words: words, zone: zone).shortDates(of: sprint),
                "day": occasion.day.text(in: language),
                "time": "\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)",
            ])
    }
}

extension TeamReminderPage {
    /// - Parameters:
    ///   - form: values of the fields.
    ///   - seen: as in `ShownFields`.
    ///   - stored: contains the quiet days.
    ///   - texts: for the standard texts.
    ///   - isPreview: whether `preview` was computed from the form.
    ///   - typedDays: values of the fields for quiet days.
    init(
        _ head: ManageHead, team: Team, form: TeamReminderForm, seen: String, changes: [ConcurrentEdit],
        stored: ReminderSettings, preview: ReminderPreview, isPreview: Bool, typedDays: TypedDays, now: Date,
        words: LocalizedTexts, texts: Texts, language: PageLanguage
    ) {
        self.head = head
        self.seen = seen
        self.changes = changes
        isChanged = !changes.isEmpty
        isOn = form.isOn
        timings = ReminderTiming.allCases.reversed().map { timing in
            FormOption(timing.rawValue, words.text(timing), isChosen: timing.rawValue == form.timing)
        }
        hours = ReminderHour.all.map { hour in
            FormOption(
                String(hour), words.text("teamReminders.oClock", ["hour": String(hour)]),
                isChosen: String(hour) == form.hour)
        }
        remindsAgain = form.remindsAgain
        weekends = Self.weekends(chosen: form.weekend, words)
        reminders = ReminderOccasion.Kind.allCases.map { kind in
            Reminder(
                title: words.text(kind),
                texts: texts.languages.map { locale in
                    ReminderTextField(
                        form[kind, locale], kind, locale,
                        standard: .standard(for: kind, at: stored.timing, in: texts[locale]), words: words)
                }, isOwn: form.texts[kind]?.contains { !$0.value.isEmpty } ?? false)
        }
        let times = preview.sprints.flatMap { planned in
            planned.occasions.filter { $0.window.upperBound > now }
                .map { Self.time(of: $0, in: planned.sprint, zone: team.settings.zone, words, language) }
        }
        self.preview = Preview(
            isTried: isPreview, times: times, hasTimes: !times.isEmpty,
            messages: ReminderOccasion.Kind.allCases.filter { $0 == .first || form.remindsAgain }.flatMap { kind in
                texts.languages.compactMap { locale in
                    preview.texts[kind]?[locale].map {
                        Message(
                            kind: words.text(kind), language: words.name(of: locale), code: locale.rawValue,
                            title: $0.title, body: $0.body)
                    }
                }
            })
        self.typedDays = typedDays
        let today = CalendarDay(instant: now, in: team.settings.zone)
        self.today = today.description
        quietDays = stored.holidays.filter { $0 >= today }.ranges.map { days in
            Days(first: days.lowerBound.description, last: days.upperBound.description, text: days.text(in: language))
        }
    }
}
