/// The part of the sprint in which a team is reminded.
package enum ReminderTiming: String, Hashable, Sendable, CaseIterable, Codable {
    /// On the first working day, and again on the second-to-last one.
    case start
    /// On the second-to-last working day, when there is something to say about the sprint, and again on the last one.
    case end
}

/// When and in which words a team's members are reminded to vote. Members read it; leads and admins change it.
package struct ReminderSettings: Hashable, Sendable {
    /// Whether any reminders are sent.
    package var isOn: Bool
    /// The part of the sprint in which reminders are sent.
    package var timing: ReminderTiming
    /// The hour, one of `ReminderHour.all` in the team's time zone, in which reminders are sent.
    package var hour: Int
    /// Whether a second reminder is sent.
    package var remindsAgain: Bool
    /// The days of each week without reminders.
    package var weekend: Set<Weekday>
    /// Days without reminders, in addition to weekends.
    package var holidays: Set<CalendarDay>
    /// The team's own words; a missing or empty text falls back to the standard one.
    package var texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]

    /// Days: a whole year, more than anyone needs.
    package static let maximumHolidays = 366
    /// Valid years of a holiday, to catch typing errors.
    package static let years = 2000...2100

    /// By default what holds for teams without stored settings: they are older than `timing`.
    package init(
        isOn: Bool = true, timing: ReminderTiming = .start, hour: Int = 9, remindsAgain: Bool = false,
        weekend: Set<Weekday> = Weekday.standardWeekend, holidays: Set<CalendarDay> = [],
        texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]] = [:]
    ) {
        self.isOn = isOn
        self.timing = timing
        self.hour = hour
        self.remindsAgain = remindsAgain
        self.weekend = weekend
        self.holidays = holidays
        self.texts = texts
    }

    /// The settings of a new team: two reminders at the end of the sprint.
    package static let ofNewTeam = ReminderSettings(timing: .end, remindsAgain: true)

    /// The team's own words of a reminder in a language; empty if there are none.
    package subscript(kind: ReminderOccasion.Kind, locale: MailLocale) -> ReminderText {
        get { texts[kind]?[locale] ?? ReminderText() }
        set { texts[kind, default: [:]][locale] = newValue }
    }

    /// The settings ready to be stored: texts trimmed, empty ones removed.
    /// - Throws: `AppError.unprocessable` naming the value out of range; `unknown-placeholder` for a text with an unknown
    ///   placeholder.
    package func validated() throws(AppError) -> ReminderSettings {
        try ReminderHour.validate(hour)
        guard weekend.count < Weekday.allCases.count else {
            throw AppError(.unprocessable, "At least one day of the week must be a working day.")
        }
        guard holidays.count <= Self.maximumHolidays else {
            throw AppError(.unprocessable, "There are more than \(Self.maximumHolidays) days off.")
        }
        guard holidays.allSatisfy({ Self.years.contains($0.year) }) else {
            throw AppError(
                .unprocessable, "Days off must be in the years \(Self.years.lowerBound) to \(Self.years.upperBound).")
        }
        var result = self
        result.texts = [:]
        for (kind, translations) in texts {
            for (locale, text) in translations {
                let text = try text.validated()
                if !text.isEmpty { result.texts[kind, default: [:]][locale] = text }
            }
        }
        return result
    }
}

extension Edit<ReminderSettings> {
    /// The settings after the change, ready to be stored. Title and body of a reminder in a language form one text.
    /// - Throws: `AppError`: `unprocessable` as `validated`, `conflict` (`changed-meanwhile`).
    package func applied(to present: ReminderSettings) throws(AppError) -> ReminderSettings {
        var settings = present
        try apply(\.isOn, to: &settings)
        try apply(\.timing, to: &settings)
        try apply(\.hour, to: &settings)
        try apply(\.remindsAgain, to: &settings)
        try apply(\.weekend, to: &settings)
        try apply(\.holidays, to: &settings)
        for kind in ReminderOccasion.Kind.allCases {
            for locale in MailLocale.allCases {
                try apply(\.[kind, locale], to: &settings)
            }
        }
        return try settings.validated()
    }
}

/// A partial change of a team's reminders; `nil` leaves a value unchanged.
package struct ReminderSettingsChange: Hashable, Sendable {
    /// Whether any reminders are sent.
    package var isOn: Bool?
    /// The part of the sprint in which reminders are sent.
    package var timing: ReminderTiming?
    /// The hour in team time.
    package var hour: Int?
    /// Whether a second reminder is sent.
    package var remindsAgain: Bool?

    /// By default changes nothing.
    package init(isOn: Bool? = nil, timing: ReminderTiming? = nil, hour: Int? = nil, remindsAgain: Bool? = nil) {
        self.isOn = isOn
        self.timing = timing
        self.hour = hour
        self.remindsAgain = remindsAgain
    }

    /// Whether nothing would change.
    package var isEmpty: Bool { self == ReminderSettingsChange() }

    /// The settings after the change.
    /// - Throws: `AppError.unprocessable` naming the value out of range.
    package func applied(to settings: ReminderSettings) throws(AppError) -> ReminderSettings {
        try ReminderSettings(
            isOn: isOn ?? settings.isOn, timing: timing ?? settings.timing, hour: hour ?? settings.hour,
            remindsAgain: remindsAgain ?? settings.remindsAgain, weekend: settings.weekend,
            holidays: settings.holidays, texts: settings.texts
        ).validated()
    }
}
