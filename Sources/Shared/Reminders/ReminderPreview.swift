import Foundation

/// What a team's reminders would say, and when they would go out, under settings it tries.
public struct ReminderPreview: Hashable, Sendable {
    /// A sprint and its reminders.
    public struct PlannedSprint: Hashable, Sendable {
        /// The sprint; one that has not begun may still get another label.
        public let sprint: Sprint
        /// Those of the past too; none while reminders are off.
        public let occasions: [ReminderOccasion]
    }

    /// Each reminder in each language, filled in for the running sprint; also those that would not be sent.
    public let texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]
    /// The running sprint and the next one.
    public let sprints: [PlannedSprint]

    /// - Parameter sprints: the running one first.
    init(team: Team, sprints: [Sprint], settings: ReminderSettings) {
        self.sprints = sprints.map { sprint in
            let calendar = ReminderCalendar(sprint: sprint, zone: team.settings.zone, settings: settings)
            return PlannedSprint(sprint: sprint, occasions: calendar.occasions)
        }
        var texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]] = [:]
        if let running = sprints.first {
            let writer = ReminderWriter(settings: settings, teamName: team.name, sprint: running.label)
            for kind in ReminderOccasion.Kind.allCases {
                let days = Self.daysLeft(at: kind, in: running, of: team, settings: settings)
                for locale in MailLocale.allCases {
                    texts[kind, default: [:]][locale] = writer.text(for: kind, in: locale, daysLeft: days)
                }
            }
        }
        self.texts = texts
    }

    /// The number a text would say, had the team switched that reminder on.
    private static func daysLeft(
        at kind: ReminderOccasion.Kind, in sprint: Sprint, of team: Team, settings: ReminderSettings
    ) -> Int {
        var settings = settings
        settings.isOn = true
        settings.remindsAgain = true
        let zone = team.settings.zone
        let calendar = ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
        // A sprint of holidays alone has no reminder; its first day stands in.
        let day =
            calendar.occasions.first { $0.kind == kind }?.day ?? calendar.days.last
            ?? CalendarDay(instant: sprint.start, in: zone)
        return calendar.daysLeft(on: day)
    }
}
