/// Two wordings of one of a team's reminders that are set against each other for a while.
///
/// Each member gets one of the two, always the same; `ExperimentSides` tells which, and nobody keeps it.
public struct ReminderExperiment: Hashable, Sendable {
    /// An experiment's identity.
    public typealias ID = Identifier<ReminderExperiment>

    /// One of the two wordings, and the people who get it.
    public enum Side: String, Sendable, Codable, CaseIterable {
        /// The first one.
        case a
        /// The other one.
        case b
    }

    /// The experiment's identity.
    public let id: ID
    /// Whose reminder it is.
    public let teamID: Team.ID
    /// Which of a sprint's reminders.
    public let kind: ReminderOccasion.Kind
    /// The first day, team time. Sprints that started before it have no part in the experiment.
    public let first: CalendarDay
    /// The last day, team time: reminders of later days are in the team's own words.
    public let last: CalendarDay
    /// What each side reads; a part that is missing or empty is said in the team's own words or the standard ones.
    public let wordings: [Side: [MailLocale: ReminderText]]

    /// Days of a period, first and last included.
    public static let lengths = 1...366

    /// An experiment as it is; `validated` checks it.
    public init(
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

    /// Whether reminders of that day are worded by the experiment, in a sprint that started on `start`.
    public func covers(_ day: CalendarDay, inSprintFrom start: CalendarDay) -> Bool {
        first <= start && day <= last
    }

    /// The team's settings with a side's words in place of its own.
    public func settings(_ settings: ReminderSettings, for side: Side) -> ReminderSettings {
        var worded = settings
        for (locale, text) in wordings[side] ?? [:] {
            let own = settings.texts[kind]?[locale] ?? ReminderText()
            worded.texts[kind, default: [:]][locale] = ReminderText(
                title: text.title.isEmpty ? own.title : text.title, body: text.body.isEmpty ? own.body : text.body)
        }
        return worded
    }

    /// The same experiment fit to be stored: texts without white space at their ends, empty ones left out.
    /// - Parameter today: in the team's time zone. The period begins later, so that no sprint's reminder was sent in other
    ///   words before.
    /// - Throws: `AppError.refused` saying what is wrong; `unknown-placeholder` for a text with one.
    func validated(on today: CalendarDay) throws(AppError) -> ReminderExperiment {
        guard first <= last else { throw AppError(.refused, "The period ends before it begins.") }
        guard Self.lengths.contains(first.days(until: last) + 1) else {
            throw AppError(.refused, "The period is longer than \(Self.lengths.upperBound) days.")
        }
        guard today < first else { throw AppError(.refused, "The first day must be tomorrow or later.") }
        let years = ReminderSettings.years
        guard years.contains(last.year) else {
            throw AppError(.refused, "The period must be in the years \(years.lowerBound) to \(years.upperBound).")
        }
        var kept: [Side: [MailLocale: ReminderText]] = [:]
        for (side, translations) in wordings {
            for (locale, text) in translations {
                let text = try text.validated()
                if !text.isEmpty { kept[side, default: [:]][locale] = text }
            }
        }
        guard kept[.a] != kept[.b] else { throw AppError(.refused, "The two wordings are the same.") }
        return ReminderExperiment(id: id, teamID: teamID, kind: kind, first: first, last: last, wordings: kept)
    }
}
