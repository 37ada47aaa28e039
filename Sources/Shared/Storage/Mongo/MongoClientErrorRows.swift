import Domain
import Mongo

/// The collection is clustered like those of ballots, so that the order of arrival is lost.
extension MongoRows: ClientErrorRows, ClientErrorWrites {
    /// The time limit of a store's transaction.
    private static let patience = Duration.seconds(3)

    /// No transaction: with many concurrent reports of one error, as after a bad release, each would be retried for
    /// each other one, with the driver's pauses in between. A replacement that applies only if the document is
    /// unchanged needs none.
    func record(_ report: ClientErrorReport, on day: CalendarDay, limit: Int) throws -> Bool {
        let errors = collection(.clientErrors)
        let id = BSONValue.id(report.groupID)
        let deadline = ContinuousClock.now + Self.patience
        repeat {
            if let stored = try errors.findOne(["_id": id]) {
                let changes = try stored.int("changes")
                let group = try ClientErrorGroup(stored).adding(report, on: day)
                let unchanged: BSONDocument = ["_id": id, "changes": .int(changes)]
                let result = try errors.replaceOne(unchanged, group.document(changes: changes + 1))
                if result.matched == 1 { return true }
            } else {
                // Two new errors at once may exceed the limit by one, which is harmless.
                guard try errors.count() < limit else { return false }
                do {
                    try errors.insertOne(ClientErrorGroup(report, on: day).document(changes: 0))
                    return true
                } catch let error as MongoError where error.kind == .duplicateKey {
                    // Another process inserted it first, so the next attempt finds it.
                }
            }
        } while ContinuousClock.now < deadline
        throw StorageError.unavailable
    }

    func clientError(_ id: ClientErrorGroup.ID) throws -> ClientErrorGroup? {
        try collection(.clientErrors).findOne(["_id": .id(id)], in: transaction).map(ClientErrorGroup.init)
    }

    func clientErrors(isResolved: Bool, limit: Int) throws -> [ClientErrorGroup] {
        guard limit > 0 else { return [] }
        return try collection(.clientErrors)
            .find(["resolved": .bool(isResolved)], sort: ["lastDay": -1, "_id": 1], limit: limit, in: transaction)
            .map(ClientErrorGroup.init)
    }

    func resolveClientError(_ id: ClientErrorGroup.ID, _ isResolved: Bool) throws -> Bool {
        try collection(.clientErrors).updateOne(
            ["_id": .id(id)], ["$set": ["resolved": .bool(isResolved)], "$inc": ["changes": 1]], in: transaction
        ).matched == 1
    }

    func deleteClientError(_ id: ClientErrorGroup.ID, seenBefore day: CalendarDay) throws -> Bool {
        try collection(.clientErrors).deleteOne(
            ["_id": .id(id), "lastDay": ["$lt": .string(day.description)]], in: transaction) == 1
    }

    func deleteClientErrors(unseenSince day: CalendarDay) throws {
        // Days sort like their texts.
        try collection(.clientErrors).deleteMany(["lastDay": ["$lt": .string(day.description)]], in: transaction)
    }
}

extension ClientErrorGroup {
    /// - Parameter changes: increases with every change, so that concurrent writers detect it.
    fileprivate func document(changes: Int) -> BSONDocument {
        [
            "_id": .id(id), "app": .string(app.rawValue), "level": .string(level.rawValue), "message": .string(message),
            "firstDay": .string(firstDay.description), "lastDay": .string(lastDay.description),
            "countBefore": .int(countBefore), "countOnLastDay": .int(countOnLastDay),
            "versions": .string(versionLines), "stack": .string(sample.stack), "version": .string(sample.version),
            "platform": .string(sample.platform), "tags": .string(tagLines), "resolved": .bool(isResolved),
            "changes": .int(changes),
        ]
    }

    fileprivate init(_ document: BSONDocument) throws {
        self.init(
            id: try document.parsed("_id"), app: try document.choice("app"), level: try document.choice("level"),
            message: try document.text("message"), firstDay: try document.parsed("firstDay"),
            lastDay: try document.parsed("lastDay"), countBefore: try document.int("countBefore"),
            countOnLastDay: try document.int("countOnLastDay"), versions: Self.versions(try document.text("versions")),
            sample: Sample(
                stack: try document.text("stack"), version: try document.text("version"),
                platform: try document.text("platform"), tags: Self.tags(try document.text("tags"))),
            isResolved: try document.bool("resolved"))
    }
}
