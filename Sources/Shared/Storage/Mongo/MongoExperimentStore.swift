import Foundation
import Mongo

/// `ExperimentStore` on the collections `reminderExperiments` and `experimentSprints`.
struct MongoExperimentStore: MongoTransactions, ExperimentStore {
    let connection: MongoConnection

    func find(id: ReminderExperiment.ID) async throws -> ReminderExperiment? {
        try await connection.run { database in
            try database.collection(.reminderExperiments).findOne(["_id": .id(id)]).map(ReminderExperiment.init)
        }
    }

    func find(teamID: Team.ID, on day: CalendarDay) async throws -> ReminderExperiment? {
        let day = BSONValue.string(day.description)
        return try await connection.run { database in
            try database.collection(.reminderExperiments)
                .findOne(["team": .id(teamID), "first": ["$lte": day], "last": ["$gte": day]])
                .map(ReminderExperiment.init)
        }
    }

    func list(teamID: Team.ID, limit: Int) async throws -> [ReminderExperiment] {
        guard limit > 0 else { return [] }
        return try await connection.run { database in
            try database.collection(.reminderExperiments)
                .find(["team": .id(teamID)], sort: ["first": -1], limit: limit)
                .map(ReminderExperiment.init)
        }
    }

    func list(
        within period: ClosedRange<CalendarDay>, after: ReminderExperiment.ID?, limit: Int
    ) async throws -> [ReminderExperiment] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [
            "last": ["$gte": .string(period.lowerBound.description)],
            "first": ["$lte": .string(period.upperBound.description)],
        ]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.reminderExperiments)
                .find(chosen, sort: ["_id": 1], limit: limit)
                .map(ReminderExperiment.init)
        }
    }

    func shorten(id: ReminderExperiment.ID, to last: CalendarDay) async throws {
        let last = BSONValue.string(last.description)
        try await connection.run { database in
            _ = try database.collection(.reminderExperiments).updateOne(
                ["_id": .id(id), "last": ["$gt": last]], ["$set": ["last": last]])
        }
    }

    func delete(id: ReminderExperiment.ID) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                try database.collection(.reminderExperiments).deleteOne(["_id": .id(id)], in: transaction)
                try database.collection(.experimentSprints).deleteMany(["experiment": .id(id)], in: transaction)
            }
        }
    }

    func noteMembers(_ marks: MemberMarks, in sprint: ExperimentSprint) async throws {
        _ = try await change(sprint) { document in
            var all = try Self.marks(in: document)
            all.values.formUnion(marks.values)
            return ["members": .binary(all.bytes)]
        }
    }

    func notedMembers(in sprint: ExperimentSprint) async throws -> MemberMarks {
        try await connection.run { database in
            try Self.marks(in: database.collection(.experimentSprints).findOne(["_id": .string(sprint.documentID)]))
        }
    }

    func record(_ result: ExperimentResult, of sprint: ExperimentSprint) async throws -> Bool {
        try await change(sprint) { _ in
            var fields: BSONDocument = ["result": .string(result.word)]
            fields.appendIfPresent("counts", result.counts.map { .array($0.numbers.map { .int($0) }) })
            return fields
        }
    }

    func results(of id: ReminderExperiment.ID) async throws -> [Date: ExperimentResult] {
        let results = try await connection.run { database in
            try database.collection(.experimentSprints)
                .find(["experiment": .id(id), "result": ["$exists": true]])
                .map { document in
                    let numbers = document["counts"] == nil ? [] : try document.list("counts", \.intValue)
                    return (
                        try document.date("start"),
                        try ExperimentResult(word: document.text("result"), numbers: numbers)
                    )
                }
        }
        return Dictionary(uniqueKeysWithValues: results)
    }

    private static func marks(in document: BSONDocument?) throws -> MemberMarks {
        guard let document, document["members"] != nil else { return MemberMarks() }
        return MemberMarks(bytes: try document.bytes("members"))
    }

    /// Replaces what is kept of a sprint, in one transaction, unless it has its result or the experiment does not
    /// exist.
    /// - Parameter fields: the new fields in addition to the sprint's identity, derived from the present ones.
    /// - Returns: whether it was replaced.
    private func change(
        _ sprint: ExperimentSprint, to fields: @escaping @Sendable (BSONDocument?) throws -> BSONDocument
    ) async throws -> Bool {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                // Written first, so that if two changes, or a change and a removal, race, one is retried.
                let experiment = try database.collection(.reminderExperiments).updateOne(
                    ["_id": .id(sprint.experimentID)], ["$inc": ["changes": 1]], in: transaction)
                let sprints = database.collection(.experimentSprints)
                let key: BSONDocument = ["_id": .string(sprint.documentID)]
                let current = try sprints.findOne(key, in: transaction)
                guard experiment.matched == 1, current?["result"] == nil else { return false }
                var document: BSONDocument = [
                    "_id": .string(sprint.documentID), "experiment": .id(sprint.experimentID),
                    "start": .date(sprint.start),
                ]
                for (field, value) in try fields(current) { document.append(field, value) }
                try sprints.replaceOne(key, document, upsert: true, in: transaction)
                return true
            }
        }
    }
}

extension ExperimentSprint {
    /// `_id` in `experimentSprints`.
    fileprivate var documentID: String { "\(experimentID)|\(Int64(start.timeIntervalSince1970))" }
}

extension ExperimentCounts {
    /// In the order in which `ExperimentResult` reads them.
    fileprivate var numbers: [Int] { [a.members, a.voted, b.members, b.voted] }
}

extension ReminderExperiment {
    /// The stored form in `reminderExperiments`.
    var document: BSONDocument {
        let texts = wordings.flatMap { side, translations in
            translations.map { locale, text -> BSONValue in
                [
                    "side": .string(side.rawValue), "locale": .string(locale.rawValue), "title": .string(text.title),
                    "body": .string(text.body),
                ]
            }
        }
        return [
            "_id": .id(id),
            "team": .id(teamID),
            "kind": .string(kind.rawValue),
            "first": .string(first.description),
            "last": .string(last.description),
            "texts": .array(texts),
        ]
    }

    /// Parses the result of `document`.
    fileprivate init(_ document: BSONDocument) throws {
        var wordings: [Side: [MailLocale: ReminderText]] = [:]
        for text in try document.list("texts", { $0.documentValue }) {
            let side: Side = try text.choice("side")
            let locale: MailLocale = try text.choice("locale")
            wordings[side, default: [:]][locale] = ReminderText(
                title: try text.text("title"), body: try text.text("body"))
        }
        self.init(
            id: try document.parsed("_id"), teamID: try document.parsed("team"), kind: try document.choice("kind"),
            first: try document.parsed("first"), last: try document.parsed("last"), wordings: wordings)
    }
}
