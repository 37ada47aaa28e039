/// When a team's members are reminded of the vote, and in which words. Members read it; leads and admins change it.
public struct ReminderSettings: Hashable, Sendable {
    /// Whether anybody is reminded at all.
    public var isOn: Bool
    /// The hour, in the team's time zone, in which reminders go out.
    public var hour: Int
    /// Whether a second reminder goes out towards the sprint's end.
    public var remindsAgain: Bool
    /// Days besides Saturdays and Sundays on which nobody is reminded.
    public var holidays: Set<CalendarDay>
    /// The team's own words; what is missing, or empty, is said in the standard ones.
    public var texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]

    /// Hours. A reminder that could not go out at its minute is made up until `ReminderCalendar.lastHour`.
    public static let hours = 0...17
    /// Days: a year of them, which nobody needs.
    public static let maximumHolidays = 366
    /// Years a holiday may be in, so that a slip of the keyboard is noticed.
    public static let years = 2000...2100

    /// On, at nine, once, in the standard words.
    public init(
        isOn: Bool = true, hour: Int = 9, remindsAgain: Bool = false, holidays: Set<CalendarDay> = [],
        texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]] = [:]
    ) {
        self.isOn = isOn
        self.hour = hour
        self.remindsAgain = remindsAgain
        self.holidays = holidays
        self.texts = texts
    }

    /// The team's own words of a reminder in a language; empty where there are none.
    public subscript(kind: ReminderOccasion.Kind, locale: MailLocale) -> ReminderText {
        get { texts[kind]?[locale] ?? ReminderText() }
        set { texts[kind, default: [:]][locale] = newValue }
    }

    /// The same settings fit to be stored: texts without white space at their ends, empty ones left out.
    /// - Throws: `AppError.refused` naming what is out of range; `unknown-placeholder` for a text with one.
    public func validated() throws(AppError) -> ReminderSettings {
        guard Self.hours.contains(hour) else {
            throw AppError(.refused, "The hour must be from \(Self.hours.lowerBound) to \(Self.hours.upperBound).")
        }
        guard holidays.count <= Self.maximumHolidays else {
            throw AppError(.refused, "There are more than \(Self.maximumHolidays) holidays.")
        }
        guard holidays.allSatisfy({ Self.years.contains($0.year) }) else {
            throw AppError(
                .refused, "Holidays must be in the years \(Self.years.lowerBound) to \(Self.years.upperBound).")
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
    /// The settings after the change, fit to be stored. Title and body of a reminder in a language are one text.
    /// - Throws: `AppError`: `refused` as `validated`, `conflict` (`changed-meanwhile`).
    func applied(to present: ReminderSettings) throws(AppError) -> ReminderSettings {
        var settings = present
        try apply(\.isOn, to: &settings)
        try apply(\.hour, to: &settings)
        try apply(\.remindsAgain, to: &settings)
        try apply(\.holidays, to: &settings)
        for kind in ReminderOccasion.Kind.allCases {
            for locale in MailLocale.allCases {
                try apply(\.[kind, locale], to: &settings)
            }
        }
        return try settings.validated()
    }
}

/// What to change of a team's reminders; `nil` leaves a value as it is.
public struct ReminderSettingsChange: Hashable, Sendable {
    /// Whether anybody is reminded at all.
    public var isOn: Bool?
    /// Team time.
    public var hour: Int?
    /// Whether a second reminder goes out.
    public var remindsAgain: Bool?

    /// Names what to change.
    public init(isOn: Bool? = nil, hour: Int? = nil, remindsAgain: Bool? = nil) {
        self.isOn = isOn
        self.hour = hour
        self.remindsAgain = remindsAgain
    }

    /// Whether there is nothing to change.
    public var isEmpty: Bool { self == ReminderSettingsChange() }

    /// The settings after the change.
    /// - Throws: `AppError.refused` naming the value that is out of range.
    func applied(to settings: ReminderSettings) throws(AppError) -> ReminderSettings {
        try ReminderSettings(
            isOn: isOn ?? settings.isOn, hour: hour ?? settings.hour,
            remindsAgain: remindsAgain ?? settings.remindsAgain, holidays: settings.holidays, texts: settings.texts
        ).validated()
    }
}
