package import Foundation

/// The texts and times of a team's reminders under settings that are not stored.
package struct ReminderPreview: Hashable, Sendable {
    /// A sprint with its reminders.
    package struct PlannedSprint: Hashable, Sendable {
        /// The sprint; a future one may still get another label.
        package let sprint: Sprint
        /// Includes past reminders; empty while reminders are off.
        package let occasions: [ReminderOccasion]
    }

    /// Each reminder in each language, filled in for the sprint in which it is sent next. Includes reminders that would
    /// not be sent.
    package let texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]
    /// The running sprint and the next one.
    package let sprints: [PlannedSprint]

    /// - Parameters:
    ///   - sprints: the running one first.
    ///   - standard: the texts of the program, in whose languages the reminders are shown.
    package init(team: Team, sprints: [Sprint], settings: ReminderSettings, standard: Texts, at now: Date) {
        let zone = team.settings.zone
        self.sprints = sprints.map { sprint in
            let calendar = ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
            return PlannedSprint(sprint: sprint, occasions: calendar.occasions)
        }
        var all = settings
        all.isOn = true
        all.remindsAgain = true
        let calendars = sprints.map { ($0, ReminderCalendar(sprint: $0, zone: zone, settings: all)) }
        var texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]] = [:]
        for kind in ReminderOccasion.Kind.allCases {
            guard let (sprint, daysLeft) = Self.next(kind, in: calendars, zone: zone, at: now) else { continue }
            let writer = ReminderWriter(settings: settings, teamName: team.name, sprint: sprint.label, texts: standard)
            for locale in standard.languages {
                texts[kind, default: [:]][locale] = writer.text(for: kind, in: locale, daysLeft: daysLeft)
            }
        }
        self.texts = texts
    }

    /// The sprint in which a reminder is sent next, and the number of days in its text.
    private static func next(
        _ kind: ReminderOccasion.Kind, in calendars: [(sprint: Sprint, calendar: ReminderCalendar)], zone: TimeZone,
        at now: Date
    ) -> (Sprint, daysLeft: Int)? {
        for (sprint, calendar) in calendars {
            let next = calendar.occasions.first { $0.kind == kind && now < $0.window.upperBound }
            if let next { return (sprint, calendar.daysLeft(on: next.day)) }
        }
        // A sprint of holidays only has no reminder; the first day of the running one is used instead.
        return calendars.first.map { sprint, calendar in
            let day = calendar.days.last ?? CalendarDay(instant: sprint.start, in: zone)
            return (sprint, calendar.daysLeft(on: day))
        }
    }
}
