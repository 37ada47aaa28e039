import Mongo

/// `ReminderSettingsStore` on the collection `reminderSettings`, by the team's id.
struct MongoReminderSettingsStore: ReminderSettingsStore {
    let connection: MongoConnection

    func find(teamID: Team.ID) async throws -> ReminderSettings {
        try await connection.run { database in
            try database.collection(.reminderSettings).findOne(["_id": .id(teamID)]).map(ReminderSettings.init)
        } ?? ReminderSettings()
    }

    func update(teamID: Team.ID, _ settings: ReminderSettings) async throws {
        try await connection.run { database in
            guard try database.collection(.teams).findOne(["_id": .id(teamID)], projection: ["_id": 1]) != nil else {
                throw AppError.noSuchTeam
            }
            let collection = database.collection(.reminderSettings)
            do {
                try collection.replaceOne(["_id": .id(teamID)], settings.document, upsert: true)
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Somebody else stored the team's first ones at this moment.
                try collection.replaceOne(["_id": .id(teamID)], settings.document)
            }
        }
    }
}

extension ReminderSettings {
    /// As it is kept, apart from the `_id`.
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

    /// Reads what `document` wrote.
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
