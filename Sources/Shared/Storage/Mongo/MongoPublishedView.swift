import Logging
import Mongo

/// The view `happinessBySprint`: what is published of each sprint, with the field names of the predecessor.
///
/// Only for people who look into the database, or who give a tool the right to read this view alone. The program never
/// reads it. It has the fields of `Publication` and takes them from where that takes them, `published`, so it shows a
/// sprint when its members see a result, and nothing else.
enum MongoPublishedView {
    static let name = "happinessBySprint"

    private static let logger = Logger(label: "store.mongodb")

    /// The options of the command `create`, and what the server stores of them.
    ///
    /// - `happiness` is 0...10, and `happinesssum` the sum of such values; the collection has tenths.
    /// - `month` is 0...11. A sprint starts at midnight in its team's time zone, and twelve hours later UTC has the same
    ///   day, except in zones more than twelve hours from it. The team's own zone is not used: if the server did not
    ///   know one team's zone, nobody could read the view.
    private static let definition: BSONDocument = [
        "viewOn": .string(MongoCollectionName.happiness.rawValue),
        "pipeline": [["$match": ["published.count": ["$gt": 0]]], ["$project": .document(fields)]],
    ]

    private static let fields: BSONDocument = [
        "_id": 0,
        "team": 1,
        "sprint": "$label",
        "happiness": quotient(quotient("$published.sum", "$published.count"), 10),
        "votes": "$published.count",
        "happinesssum": quotient("$published.sum", 10),
        "sprintyear": year,
        "month": month,
    ]

    private static let year: BSONValue = ["$toInt": ["$arrayElemAt": [["$split": ["$label", "/"]], 0]]]

    private static let month: BSONValue = [
        "$subtract": [["$month": ["$add": ["$start", .int(twelveHours)]]], 1]
    ]

    /// Milliseconds.
    private static let twelveHours = 12 * 3_600_000

    private static func quotient(_ dividend: BSONValue, _ divisor: BSONValue) -> BSONValue {
        ["$divide": [dividend, divisor]]
    }

    /// Creates the view if it is missing, and changes it if another version created it.
    ///
    /// Logs a warning if the server rejects, for instance because our user may not create views or because a collection
    /// has this name: the program works without it.
    /// - Throws: `MongoError` if no usable server answers in time.
    static func provide(in database: MongoDatabase) throws {
        do {
            guard let existing = try stored(in: database) else {
                return try database.createCollection(name, options: definition)
            }
            guard existing != definition else { return }
            var change: BSONDocument = ["collMod": .string(name)]
            for (field, value) in definition { change.append(field, value) }
            _ = try database.command(change)
        } catch let error as MongoError {
            guard error.kind != .unreachable, error.kind != .timedOut else { throw error }
            // Another process was faster.
            guard try stored(in: database) != definition else { return }
            logger.warning(
                "The view happinessBySprint is missing or out of date, because the database refused to create it",
                metadata: ["mongodb.code": "\(error.code)"])
        }
    }

    /// The options of the view or collection of this name; `nil` if there is none.
    private static func stored(in database: MongoDatabase) throws -> BSONDocument? {
        let reply = try database.command(["listCollections": 1, "filter": ["name": .string(name)]])
        return try reply.document("cursor")["firstBatch"]?.arrayValue?.first?.documentValue?.document("options")
    }
}
