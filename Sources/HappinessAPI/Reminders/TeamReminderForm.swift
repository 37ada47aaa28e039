import Domain

/// The form fields of a reminder's texts: `title-first-en`, `body-first-en`, and so on, with a prefix if there are
/// several wordings.
struct ReminderTextForm: Sendable {
    /// The typed texts by field name.
    private let values: [String: String]
    private let prefix: String

    init(_ values: [String: String], prefix: String = "") {
        self.values = values
        self.prefix = prefix
    }

    /// The text of one reminder in one language.
    func text(_ kind: ReminderOccasion.Kind, _ locale: MailLocale) -> ReminderText {
        ReminderText(
            title: values[Self.name("title", kind, locale, prefix)] ?? "",
            body: values[Self.name("body", kind, locale, prefix)] ?? "")
    }

    /// The name of a field.
    static func name(
        _ part: String, _ kind: ReminderOccasion.Kind, _ locale: MailLocale, _ prefix: String = ""
    ) -> String {
        "\(prefix)\(part)-\(kind.rawValue)-\(locale.rawValue)"
    }
}

/// The form field for a reminder's text in one language.
struct ReminderTextField: Sendable {
    /// The language's name in the language itself.
    let language: String
    let code: String
    let titleName: String
    let bodyName: String
    let title: String
    let body: String
    /// Used while the field is empty.
    let standardTitle: String
    let standardBody: String
    let maximumTitleLength: Int
    let maximumBodyLength: Int

    /// - Parameters:
    ///   - text: as typed.
    ///   - standard: shown while a part is empty.
    ///   - words: for the language's name.
    init(
        _ text: ReminderText, _ kind: ReminderOccasion.Kind, _ locale: MailLocale, standard: ReminderText,
        words: LocalizedTexts, prefix: String = ""
    ) {
        language = words.name(of: locale)
        code = locale.rawValue
        titleName = ReminderTextForm.name("title", kind, locale, prefix)
        bodyName = ReminderTextForm.name("body", kind, locale, prefix)
        title = text.title
        body = text.body
        standardTitle = standard.title
        standardBody = standard.body
        maximumTitleLength = PushMessage.maximumTitleLength
        maximumBodyLength = PushMessage.maximumBodyLength
    }
}

/// The form's fields for a team's reminders, as text.
struct TeamReminderForm: Codable, Sendable {
    var isOn: Bool
    var timing: String
    var hour: String
    var remindsAgain: Bool
    /// `WeekdayList`
    var weekend: String
    var texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]

    /// The current settings.
    init(_ settings: ReminderSettings) {
        isOn = settings.isOn
        timing = settings.timing.rawValue
        hour = String(settings.hour)
        remindsAgain = settings.remindsAgain
        weekend = WeekdayList(days: settings.weekend).description
        texts = settings.texts
    }

    init(from decoder: any Decoder) throws {
        let values = try [String: String](from: decoder)
        // Browsers do not send a checkbox that is not ticked.
        isOn = values["isOn"] != nil
        // Missing in a form opened before an upgrade; its hidden values lack it too, so the timing stays.
        timing = values["timing"] ?? ReminderTiming.start.rawValue
        hour = values["hour"] ?? ""
        remindsAgain = values["remindsAgain"] != nil
        // As with the timing.
        weekend = values["weekend"] ?? WeekdayList(days: Weekday.standardWeekend).description
        let fields = ReminderTextForm(values)
        texts = [:]
        for kind in ReminderOccasion.Kind.allCases {
            for locale in MailLocale.allCases { texts[kind, default: [:]][locale] = fields.text(kind, locale) }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = ["timing": timing, "hour": hour, "weekend": weekend]
        if isOn { values["isOn"] = "on" }
        if remindsAgain { values["remindsAgain"] = "on" }
        for (kind, translations) in texts {
            for (locale, text) in translations {
                values[ReminderTextForm.name("title", kind, locale)] = text.title
                values[ReminderTextForm.name("body", kind, locale)] = text.body
            }
        }
        try values.encode(to: encoder)
    }

    /// The text of one reminder in one language.
    subscript(kind: ReminderOccasion.Kind, locale: MailLocale) -> ReminderText {
        get { texts[kind]?[locale] ?? ReminderText() }
        set { texts[kind, default: [:]][locale] = newValue }
    }

    /// The settings in the form; the service checks ranges.
    /// - Parameter holidays: from the stored settings, since another form edits them.
    func settings(keeping holidays: Set<CalendarDay> = []) throws -> ReminderSettings {
        guard let hour = Int(hour) else { throw AppError(.malformed, "The hour isn’t a number.") }
        guard let timing = ReminderTiming(rawValue: timing) else {
            throw AppError(.malformed, "There’s no such timing. There are: start, end.")
        }
        guard let weekend = WeekdayList(weekend)?.days else {
            throw AppError(.malformed, "A weekend consists of days such as saturday.")
        }
        return ReminderSettings(
            isOn: isOn, timing: timing, hour: hour, remindsAgain: remindsAgain, weekend: weekend, holidays: holidays,
            texts: texts)
    }
}

extension EditForm<TeamReminderForm> {
    /// The change requested by the form. Quiet days belong to another form and stay unchanged.
    func edit() throws -> Edit<ReminderSettings> {
        Edit(from: try seen.settings(), to: try typed.settings())
    }

    /// The fields' values when the form is shown again.
    /// - Parameter present: the current settings.
    func shown(over present: TeamReminderForm) -> TeamReminderForm {
        var form = present
        keep(\.isOn, in: &form)
        keep(\.timing, in: &form)
        keep(\.hour, in: &form)
        keep(\.remindsAgain, in: &form)
        keep(\.weekend, in: &form)
        for kind in ReminderOccasion.Kind.allCases {
            for locale in MailLocale.allCases { keep(\.[kind, locale], in: &form) }
        }
        return form
    }

    /// Changes by other users since the form was shown.
    /// - Parameter present: the current settings.
    func changes(to present: TeamReminderForm, _ words: LocalizedTexts) -> [ConcurrentEdit] {
        func onOrOff(_ isOn: Bool) -> String { isOn ? words.text("meanwhile.on") : words.text("meanwhile.off") }
        let settings = [
            change(
                of: \.isOn, to: present, field: "isOn", label: words.text("teamReminders.isOn"),
                value: onOrOff(present.isOn)),
            change(
                of: \.timing, to: present, field: "timing", label: words.text("teamReminders.timing"),
                value: ReminderTiming(rawValue: present.timing).map(words.text) ?? ""),
            change(
                of: \.remindsAgain, to: present, field: "remindsAgain", label: words.text("teamReminders.again"),
                value: onOrOff(present.remindsAgain)),
            change(
                of: \.weekend, to: present, field: "weekend", label: words.text("teamReminders.weekend"),
                value: WeekdayList(present.weekend).map { words.text($0.days) } ?? ""),
            change(
                of: \.hour, to: present, field: "hour", label: words.text("teamReminders.hour"),
                value: words.text("teamReminders.oClock", ["hour": present.hour])),
        ]
        let texts = ReminderOccasion.Kind.allCases.flatMap { kind in
            MailLocale.allCases.map { locale in
                change(
                    of: \.[kind, locale], to: present, field: ReminderTextForm.name("title", kind, locale),
                    label: "\(words.text(kind)), \(words.name(of: locale))", value: words.text(present[kind, locale]))
            }
        }
        return (settings + texts).compactMap { $0 }
    }
}

extension LocalizedTexts {
    /// The name of a reminder.
    func text(_ kind: ReminderOccasion.Kind) -> String { text("teamReminders.\(kind.rawValue)") }

    /// The names of days of the week, from Monday on.
    func text(_ days: Set<Weekday>) -> String {
        days.isEmpty ? text("weekdays.none") : days.sorted().map { text($0) }.joined(separator: ", ")
    }

    /// The name of a day of the week.
    func text(_ day: Weekday) -> String { text("weekdays.\(day.rawValue)") }

    /// When reminders with this timing are sent.
    func text(_ timing: ReminderTiming) -> String {
        switch timing {
        case .start: text("teamReminders.atStart")
        case .end: text("teamReminders.atEnd")
        }
    }

    /// A team's own text in one line.
    fileprivate func text(_ words: ReminderText) -> String {
        let parts = [words.title, words.body].filter { !$0.isEmpty }
        return parts.isEmpty ? text("meanwhile.standardWords") : parts.joined(separator: " – ")
    }
}
