import Domain
import Foundation
import GRDB

extension Database: ReminderRows {
    func reminderSettings(of teamID: Team.ID) throws -> ReminderSettings {
        let team = teamID.description
        let stored = try first(
            "SELECT isOn, timing, hour, remindsAgain, weekend, holidays FROM reminderSettings WHERE team = ?", [team]
        ) { try ReminderSettings(&$0) }
        guard var settings = stored else { return ReminderSettings() }
        _ = try rows("SELECT kind, locale, title, body FROM reminderTexts WHERE team = ?", [team]) { row in
            let kind: ReminderOccasion.Kind = try row.named()
            let locale: MailLocale = try row.named()
            settings.texts[kind, default: [:]][locale] = ReminderText(title: row.value(), body: row.value())
        }
        return settings
    }

    func reminderFacts(of teamIDs: [Team.ID], at now: Date) throws -> [Team.ID: ReminderFacts] {
        try teamIDs.reduce(into: [:]) { facts, teamID in
            let running = try latestSprint(of: teamID, startedBy: now).flatMap { now < $0.sprint.end ? $0 : nil }
            let settings = try reminderSettings(of: teamID)
            var earlier: [Delivery] = []
            if let running, ReminderFacts.mayRemind(of: running, settings) {
                earlier = try reminders(of: running.sprint.key)
            }
            facts[teamID] = ReminderFacts(settings: settings, running: running, earlier: earlier)
        }
    }

    func chosenReminderHours() throws -> [Team.ID: Set<Int>] {
        let rows = try rows(
            """
            SELECT DISTINCT memberships.team, users.reminderHour
            FROM users JOIN memberships ON memberships.user = users.id WHERE users.reminderHour IS NOT NULL
            """
        ) { (teamID: try $0.parsed(as: Team.ID.self), hour: $0.value(as: Int.self)) }
        return Dictionary(grouping: rows, by: \.teamID).mapValues { Set($0.map(\.hour)) }
    }

    func chosenDaysOff() throws -> [Team.ID: Set<Set<Weekday>>] {
        let rows = try rows(
            """
            SELECT DISTINCT memberships.team, users.daysOff
            FROM users JOIN memberships ON memberships.user = users.id WHERE users.daysOff <> ''
            """
        ) { (teamID: try $0.parsed(as: Team.ID.self), days: try $0.parsed(as: WeekdayList.self).days) }
        return Dictionary(grouping: rows, by: \.teamID).mapValues { Set($0.map(\.days)) }
    }
}

extension Database: ReminderChanges {
    func setReminderSettings(_ settings: ReminderSettings, of teamID: Team.ID) throws {
        let team = teamID.description
        let holidays = DayList(days: settings.holidays).description
        try change(
            """
            INSERT INTO reminderSettings (team, isOn, timing, hour, remindsAgain, weekend, holidays)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (team) DO UPDATE SET isOn = excluded.isOn, timing = excluded.timing, hour = excluded.hour,
                remindsAgain = excluded.remindsAgain, weekend = excluded.weekend, holidays = excluded.holidays
            """,
            [
                team, settings.isOn, settings.timing.rawValue, settings.hour, settings.remindsAgain,
                WeekdayList(days: settings.weekend).description, holidays,
            ])
        try change("DELETE FROM reminderTexts WHERE team = ?", [team])
        for (kind, translations) in settings.texts {
            for (locale, text) in translations {
                try change(
                    "INSERT INTO reminderTexts (team, kind, locale, title, body) VALUES (?, ?, ?, ?, ?)",
                    [team, kind.rawValue, locale.rawValue, text.title, text.body])
            }
        }
    }
}

extension ReminderSettings {
    /// Reads everything except the texts.
    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            isOn: row.value(), timing: try row.named(), hour: row.value(), remindsAgain: row.value(),
            weekend: try row.parsed(as: WeekdayList.self).days, holidays: try row.parsed(as: DayList.self).days)
    }
}

/// Days in one column, separated by spaces.
private struct DayList: LosslessStringConvertible {
    let days: Set<CalendarDay>

    init(days: Set<CalendarDay>) {
        self.days = days
    }

    init?(_ description: String) {
        let texts = description.split(separator: " ")
        let days = texts.compactMap { CalendarDay(String($0)) }
        guard days.count == texts.count else { return nil }
        self.days = Set(days)
    }

    var description: String { days.sorted().map(\.description).joined(separator: " ") }
}
