import Domain
import Foundation
import Mongo

extension MongoRows: ExperimentRows, ExperimentWrites {
    func experiment(_ id: ReminderExperiment.ID) throws -> ReminderExperiment? {
        try collection(.reminderExperiments).findOne(["_id": .id(id)], in: transaction).map(ReminderExperiment.init)
    }

    func experiment(of teamID: Team.ID, on day: CalendarDay) throws -> ReminderExperiment? {
        let day = BSONValue.string(day.description)
        return try collection(.reminderExperiments)
            .findOne(["team": .id(teamID), "first": ["$lte": day], "last": ["$gte": day]], in: transaction)
            .map(ReminderExperiment.init)
    }

    func experiments(of teamID: Team.ID, limit: Int) throws -> [ReminderExperiment] {
        guard limit > 0 else { return [] }
        return try collection(.reminderExperiments)
            .find(["team": .id(teamID)], sort: ["first": -1], limit: limit, in: transaction)
            .map(ReminderExperiment.init)
    }

    func experiments(
        within period: ClosedRange<CalendarDay>, after: ReminderExperiment.ID?, limit: Int
    ) throws -> [ReminderExperiment] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [
            "last": ["$gte": .string(period.lowerBound.description)],
            "first": ["$lte": .string(period.upperBound.description)],
        ]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        return try collection(.reminderExperiments)
            .find(filter, sort: ["_id": 1], limit: limit, in: transaction)
            .map(ReminderExperiment.init)
    }

    func shortenExperiment(_ id: ReminderExperiment.ID, to last: CalendarDay) throws {
        let last = BSONValue.string(last.description)
        try collection(.reminderExperiments).updateOne(
            ["_id": .id(id), "last": ["$gt": last]], ["$set": ["last": last]], in: transaction)
    }

    func deleteExperiment(_ id: ReminderExperiment.ID) throws {
        try database.boundedTransaction { transaction in
            try collection(.reminderExperiments).deleteOne(["_id": .id(id)], in: transaction)
            try collection(.experimentSprints).deleteMany(["experiment": .id(id)], in: transaction)
        }
    }

    func noteMembers(_ marks: MemberMarks, in sprint: ExperimentSprint) throws {
        _ = try change(sprint) { document in
            var all = try Self.marks(in: document)
            all.values.formUnion(marks.values)
            return ["members": .binary(all.bytes)]
        }
    }

    func notedMembers(in sprint: ExperimentSprint) throws -> MemberMarks {
        try Self.marks(in: collection(.experimentSprints).findOne(["_id": .string(sprint.documentID)], in: transaction))
    }

    func record(_ result: ExperimentResult, of sprint: ExperimentSprint) throws -> Bool {
        try change(sprint) { _ in
            var fields: BSONDocument = ["result": .string(result.word)]
            fields.appendIfPresent("counts", result.counts.map { .array($0.numbers.map { .int($0) }) })
            return fields
        }
    }

    func experimentResults(of id: ReminderExperiment.ID) throws -> [Date: ExperimentResult] {
        let results = try collection(.experimentSprints)
            .find(["experiment": .id(id), "result": ["$exists": true]], in: transaction)
            .map { document in
                let numbers = document["counts"] == nil ? [] : try document.list("counts", \.intValue)
                return (
                    try document.date("start"),
                    try ExperimentResult(word: document.text("result"), numbers: numbers)
                )
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
        _ sprint: ExperimentSprint, to fields: (BSONDocument?) throws -> BSONDocument
    ) throws -> Bool {
        try database.boundedTransaction { transaction in
            // Written first, so that if two changes, or a change and a removal, race, one is retried.
            let experiment = try collection(.reminderExperiments).updateOne(
                ["_id": .id(sprint.experimentID)], ["$inc": ["changes": 1]], in: transaction)
            let sprints = collection(.experimentSprints)
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

    func overlapsAnother(_ experiment: ReminderExperiment) throws -> Bool {
        let overlapping: BSONDocument = [
            "team": .id(experiment.teamID), "first": ["$lte": .string(experiment.last.description)],
            "last": ["$gte": .string(experiment.first.description)],
        ]
        return try collection(.reminderExperiments)
            .findOne(overlapping, projection: ["_id": 1], in: transaction) != nil
    }
}

extension MongoRows: ExperimentChanges {
    func insert(_ experiment: ReminderExperiment) throws {
        try collection(.reminderExperiments).insertOne(experiment.document, in: transaction)
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
