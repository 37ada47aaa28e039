import Domain
import Mongo

/// One document for each text that was ever changed, with its changes in order, and one with the version.
extension MongoRows: TextRows, TextWrites {
    private static let version: BSONDocument = ["_id": "version"]

    func textVersion() throws -> Int {
        try collection(.ownTexts).findOne(Self.version, in: transaction)?.int("number") ?? 0
    }

    func ownTexts() throws -> [OwnText] {
        try collection(.ownTexts)
            .find(
                ["language": ["$exists": true]],
                projection: ["language": 1, "name": 1, "changes": ["$slice": -1]], in: transaction
            )
            .compactMap { document in
                let key = TextKey(try document.text("name"), in: try document.choice("language"))
                return try Self.changes(in: document).last?.text.map { OwnText(key: key, text: $0) }
            }
    }

    func changeText(_ key: TextKey, _ change: TextChange, from present: String?) throws -> Bool {
        var entry: BSONDocument = ["day": .string(change.day.description)]
        entry.appendIfPresent("text", change.text.map(BSONValue.string))
        return try database.boundedTransaction { transaction in
            let texts = collection(.ownTexts)
            let stored = try texts.findOne(["_id": .string(key.documentID)], in: transaction)
            guard try stored.map({ try Self.changes(in: $0) })?.last?.text == present else { return false }
            // If two changes run concurrently, one gets a write conflict here and is retried.
            try texts.updateOne(Self.version, ["$inc": ["number": 1]], upsert: true, in: transaction)
            try texts.updateOne(
                ["_id": .string(key.documentID)],
                [
                    "$set": ["language": .string(key.language.rawValue), "name": .string(key.name)],
                    "$push": [
                        "changes": ["$each": [.document(entry)], "$slice": .int(-TextChange.maximumCount)]
                    ],
                ], upsert: true, in: transaction)
            return true
        }
    }

    func textHistory(of key: TextKey) throws -> [TextChange] {
        let document = try collection(.ownTexts).findOne(["_id": .string(key.documentID)], in: transaction)
        return try document.map { try Self.changes(in: $0).reversed() } ?? []
    }

    private static func changes(in document: BSONDocument) throws -> [TextChange] {
        try document.list("changes", \.documentValue).map { change in
            TextChange(text: change["text"]?.stringValue, day: try change.parsed("day"))
        }
    }
}

extension TextKey {
    fileprivate var documentID: String { "\(language.rawValue) \(name)" }
}
