import Mongo

/// `ReminderSettingsStore` on the collection `reminderSettings`, by the team's id.
struct MongoReminderSettingsStore: ReminderSettingsStore {
    let connection: MongoConnection

    func find(teamID: Team.ID) async throws -> ReminderSettings {
        try await connection.run { database in
            try database.collection(.reminderSettings).findOne(["_id": .id(teamID)]).map(ReminderSettings.init)
        } ?? ReminderSettings()
    }

    /// If two transactions read the same settings, the one that writes later gets a write conflict and is retried, even
    /// if both store the team's first settings.
    func update(
        teamID: Team.ID, _ settings: ReminderSettings, from present: ReminderSettings
    ) async throws -> Bool {
        let document = settings.document
        return try await connection.run { database in
            let teams = database.collection(.teams)
            guard try teams.findOne(["_id": .id(teamID)], projection: ["_id": 1]) != nil else {
                throw AppError.noSuchTeam
            }
            let collection = database.collection(.reminderSettings)
            return try database.boundedTransaction { transaction in
                let stored = try collection.findOne(["_id": .id(teamID)], in: transaction).map(ReminderSettings.init)
                guard stored ?? ReminderSettings() == present else { return false }
                try collection.replaceOne(["_id": .id(teamID)], document, upsert: true, in: transaction)
                return true
            }
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
            "hour": .int(hour),
            "remindsAgain": .bool(remindsAgain),
            "holidays": .array(holidays.sorted().map { .string($0.description) }),
            "texts": .array(texts),
        ]
    }

    /// Parses the result of `document`.
    fileprivate init(_ document: BSONDocument) throws {
        self.init(
            isOn: try document.bool("isOn"), hour: try document.int("hour"),
            remindsAgain: try document.bool("remindsAgain"),
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
