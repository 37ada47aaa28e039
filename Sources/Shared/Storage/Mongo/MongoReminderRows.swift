import Domain
import Foundation
import Mongo

extension MongoRows: ReminderRows {
    func reminderSettings(of teamID: Team.ID) throws -> ReminderSettings {
        try collection(.reminderSettings).findOne(["_id": .id(teamID)], in: transaction).map(ReminderSettings.init)
            ?? ReminderSettings()
    }

    /// Seconds. No sprint lasts longer, so a running one has started within them.
    private static let longestSprint: TimeInterval = 60 * 86_400

    func reminderFacts(of teamIDs: [Team.ID], at now: Date) throws -> [Team.ID: ReminderFacts] {
        let teams = BSONValue.among(teamIDs.map(BSONValue.id))
        let started: BSONValue = ["$lte": .date(now), "$gt": .date(now.addingTimeInterval(-Self.longestSprint))]
        // All in the first reply each.
        let options: BSONDocument = ["batchSize": 10_000]
        let settings = try collection(.reminderSettings).find(["_id": teams], options: options, in: transaction)
            .reduce(into: [Team.ID: ReminderSettings]()) { $0[try $1.parsed("_id")] = try ReminderSettings($1) }
        let running = try collection(.happiness)
            .find(["team": teams, "start": started, "end": ["$gt": .date(now)]], options: options, in: transaction)
            .map(SprintRecord.init)
            .reduce(into: [Team.ID: SprintRecord]()) { $0[$1.sprint.teamID] = $1 }
        let reminded = running.values
            .filter { ReminderFacts.mayRemind(of: $0, settings[$0.sprint.teamID] ?? ReminderSettings()) }
            .map(\.sprint)
        // Sprints of many teams start at the same few instants.
        let ofSprints: BSONDocument = [
            "team": .among(reminded.map { .id($0.teamID) }),
            "start": .among(Set(reminded.map(\.start)).map(BSONValue.date)), "isReminder": true,
        ]
        let deliveries = try collection(.deliveries)
            .find(ofSprints, sort: ["day": 1, "kind": 1], options: options, in: transaction).map(Delivery.init)
        let earlier = Dictionary(grouping: deliveries, by: \.occasion.sprint)
        return teamIDs.reduce(into: [:]) { facts, teamID in
            let sprint = running[teamID]
            facts[teamID] = ReminderFacts(
                settings: settings[teamID] ?? ReminderSettings(), running: sprint,
                earlier: sprint.flatMap { earlier[$0.sprint.key] } ?? [])
        }
    }

    func chosenReminderHours() throws -> [Team.ID: Set<Int>] {
        try chosen("hour") { try $0.int($1) }
    }

    func chosenDaysOff() throws -> [Team.ID: Set<Set<Weekday>>] {
        try chosen("daysOff") { try $0.weekdays($1) }
    }

    /// What members have chosen in a field of their notifications, each value once, by team.
    private func chosen<Value: Hashable>(
        _ field: String, read: (BSONDocument, String) throws -> Value
    ) throws -> [Team.ID: Set<Value>] {
        let path = "notifications.\(field)"
        let users = try collection(.users).find(
            [path: ["$exists": true]], projection: [path: 1], in: transaction)
        let values = Dictionary(
            try users.map { user in
                (try user.parsed("_id") as User.ID, try read(try user.document("notifications"), field))
            }, uniquingKeysWith: { first, _ in first })
        let memberships = try collection(.memberships).find(
            ["user": .among(values.keys.map(BSONValue.id))], projection: ["team": 1, "user": 1], in: transaction)
        return try memberships.reduce(into: [:]) { teams, membership in
            guard let value = values[try membership.parsed("user")] else { return }
            teams[try membership.parsed("team") as Team.ID, default: []].insert(value)
        }
    }
}

extension ReminderSettings {
    /// The stored form, without the `_id`.
    fileprivate var document: BSONDocument {
        let texts = self.texts.flatMap { kind, translations in
            translations.map { locale, text -> BSONValue in
                [
                    "kind": .string(kind.rawValue), "locale": .string(locale.rawValue), "title": .string(text.title),
                    "body": .string(text.body),
                ]
            }
        }
        return [
            "isOn": .bool(isOn),
            "timing": .string(timing.rawValue),
            "hour": .int(hour),
            "remindsAgain": .bool(remindsAgain),
            "weekend": .weekdays(weekend),
            "holidays": .array(holidays.sorted().map { .string($0.description) }),
            "texts": .array(texts),
        ]
    }

    /// Parses the result of `document`.
    fileprivate init(_ document: BSONDocument) throws {
        self.init(
            // Missing in settings that are older than the field.
            isOn: try document.bool("isOn"), timing: document["timing"] == nil ? .start : try document.choice("timing"),
            hour: try document.int("hour"),
            remindsAgain: try document.bool("remindsAgain"),
            weekend: document["weekend"] == nil ? Weekday.standardWeekend : try document.weekdays("weekend"),
            holidays: Set(
                try document.list("holidays") { value in
                    value.stringValue.flatMap(CalendarDay.init)
                }))
        for text in try document.list("texts", { $0.documentValue }) {
            let kind: ReminderOccasion.Kind = try text.choice("kind")
            let locale: MailLocale = try text.choice("locale")
            texts[kind, default: [:]][locale] = ReminderText(title: try text.text("title"), body: try text.text("body"))
        }
    }
}

extension MongoRows: ReminderChanges {
    func setReminderSettings(_ settings: ReminderSettings, of teamID: Team.ID) throws {
        try collection(.reminderSettings)
            .replaceOne(["_id": .id(teamID)], settings.document, upsert: true, in: transaction)
    }
}
