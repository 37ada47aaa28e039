/// Two wordings of one of a team's reminders that are compared over a period.
///
/// Each member always gets the same one of the two; `ExperimentSides` determines it, and it is not stored.
package struct ReminderExperiment: Hashable, Sendable {
    /// Identifies an experiment.
    package typealias ID = Identifier<ReminderExperiment>

    /// One of the two wordings, and the members who get it.
    package enum Side: String, Sendable, Codable, CaseIterable {
        /// The first one.
        case a
        /// The other one.
        case b
    }

    /// Also part of the hash that assigns members to sides.
    package let id: ID
    /// The team whose reminder is tested.
    package let teamID: Team.ID
    /// The reminder of a sprint that is tested.
    package let kind: ReminderOccasion.Kind
    /// The first day in the team's time zone. Sprints that started earlier do not take part.
    package let first: CalendarDay
    /// The last day in the team's time zone: later reminders use the team's own words.
    package let last: CalendarDay
    /// The texts for each side; a missing or empty part falls back to the team's own or the standard text.
    package let wordings: [Side: [MailLocale: ReminderText]]

    /// Length of a period in days, first and last included.
    package static let lengths = 1...366

    /// Creates an experiment without checks; `validated` checks it.
    package init(
        id: ID = .random(), teamID: Team.ID, kind: ReminderOccasion.Kind, first: CalendarDay, last: CalendarDay,
        wordings: [Side: [MailLocale: ReminderText]]
    ) {
        self.id = id
        self.teamID = teamID
        self.kind = kind
        self.first = first
        self.last = last
        self.wordings = wordings
    }

    /// Whether the experiment words that day's reminders in a sprint that started on `start`.
    package func covers(_ day: CalendarDay, inSprintFrom start: CalendarDay) -> Bool {
        first <= start && day <= last
    }

    /// The team's settings with a side's words in place of its own.
    package func settings(_ settings: ReminderSettings, for side: Side) -> ReminderSettings {
        var worded = settings
        for (locale, text) in wordings[side] ?? [:] {
            let own = settings.texts[kind]?[locale] ?? ReminderText()
            worded.texts[kind, default: [:]][locale] = ReminderText(
                title: text.title.isEmpty ? own.title : text.title, body: text.body.isEmpty ? own.body : text.body)
        }
        return worded
    }

    /// The experiment ready to be stored: texts trimmed, empty ones removed.
    /// - Parameter today: in the team's time zone. The period begins later, so that no sprint's reminder has already
    ///   been sent in other words.
    /// - Throws: `AppError.unprocessable` with the reason; `unknown-placeholder` for a text with an unknown placeholder.
    package func validated(on today: CalendarDay) throws(AppError) -> ReminderExperiment {
        guard first <= last else { throw AppError(.unprocessable, "The period ends before it begins.") }
        guard Self.lengths.contains(first.days(until: last) + 1) else {
            throw AppError(.unprocessable, "The period is longer than \(Self.lengths.upperBound) days.")
        }
        guard today < first else { throw AppError(.unprocessable, "The first day must be tomorrow or later.") }
        let years = ReminderSettings.years
        guard years.contains(last.year) else {
            throw AppError(
                .unprocessable, "The period must be in the years \(years.lowerBound) to \(years.upperBound).")
        }
        var kept: [Side: [MailLocale: ReminderText]] = [:]
        for (side, translations) in wordings {
            for (locale, text) in translations {
                let text = try text.validated()
                if !text.isEmpty { kept[side, default: [:]][locale] = text }
            }
        }
        guard kept[.a] != kept[.b] else { throw AppError(.unprocessable, "The two wordings are the same.") }
        return ReminderExperiment(id: id, teamID: teamID, kind: kind, first: first, last: last, wordings: kept)
    }
}
