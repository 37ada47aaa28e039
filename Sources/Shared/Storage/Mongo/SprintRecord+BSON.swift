import Commitments
import Domain
import Foundation
import Mongo

extension Sprint.Key {
    /// `_id` in `happiness`: built from team and start, which makes a sprint unique and needs no further index.
    var documentID: String {
        "\(teamID)|\(Int64(start.timeIntervalSince1970))"
    }
}

extension SprintLabel {
    /// Year and number as one sortable number; a suffix makes no difference.
    var ordinal: Int { year * 100 + number }
}

extension SprintRecord {
    /// The stored form in `happiness`. It contains no times except the sprint's own.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .string(sprint.key.documentID),
            "team": .id(sprint.teamID),
            "start": .date(sprint.start),
            "end": .date(sprint.end),
            "closes": .date(sprint.closes),
            "label": .string(sprint.label.description),
            "ordinal": .int(sprint.label.ordinal),
            "threshold": .int(sprint.threshold),
            "policy": .string(sprint.policy.rawValue),
            "feedbackReaders": .string(sprint.feedbackReaders.rawValue),
            "ballots": .string(sprint.ballots.rawValue),
        ]
        for (field, value) in state.current.document { document.append(field, value) }
        for (field, value) in state.publicationFields { document.append(field, value) }
        document.append("closed", .bool(state.isClosed))
        document.appendIfPresent("eligible", eligible.map(BSONValue.int))
        document.append("joined", .int(joined))
        document.append("raise", .document(raise.document))
        document.append("papers", .document(papers.document))
        document.appendIfPresent("sealed", sealed.map(BSONValue.int))
        document.append("cleared", .bool(isCleared))
        if sprint.isImported { document.append("imported", .bool(true)) }
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            sprint: try Sprint(document), state: try PublicationState(document),
            eligible: document["eligible"]?.intValue, joined: document["joined"]?.intValue ?? 0,
            raise: ThresholdRaise(document["raise"]?.documentValue ?? [:]),
            papers: PaperCounts(document), sealed: document["sealed"]?.intValue,
            isCleared: document["cleared"]?.boolValue ?? false)
    }
}

extension ThresholdRaise {
    /// The field `raise` of a sprint's document.
    var document: BSONDocument {
        var document: BSONDocument = ["ballots": .int(ballots), "spent": .bool(isSpent)]
        document.appendIfPresent("from", from.map(BSONValue.int))
        return document
    }

    /// Parses the result of `document`; an empty one means no raise.
    init(_ document: BSONDocument) {
        self.init(
            from: document["from"]?.intValue, ballots: document["ballots"]?.intValue ?? 0,
            isSpent: document["spent"]?.boolValue ?? false)
    }
}

extension Sprint {
    /// Reads identity and terms from a document of `happiness`.
    init(_ document: BSONDocument) throws {
        self.init(
            teamID: try document.parsed("team"),
            start: try document.date("start"),
            end: try document.date("end"),
            closes: try document.date("closes"),
            label: try document.parsed("label"),
            threshold: try document.int("threshold"),
            policy: try document.choice("policy"),
            feedbackReaders: try document.choice("feedbackReaders"),
            // Missing in documents of older versions.
            ballots: document["ballots"] == nil ? .any : try document.choice("ballots"),
            isImported: document["imported"]?.boolValue ?? false)
    }
}

extension PublicationState {
    /// Reads the state from a document of `happiness`.
    init(_ document: BSONDocument) throws {
        let snapshot = try document.document("snapshot")
        let published = try document.document("published")
        self.init(
            current: try Tally(document),
            snapshot: try Tally(snapshot), snapshotNumber: try snapshot.int("number"),
            published: try Tally(published), publishedNumber: try published.int("number"),
            isClosed: try document.bool("closed"))
    }

    /// The fields that change only when a snapshot is taken.
    var publicationFields: BSONDocument {
        var snapshotFields: BSONDocument = ["number": .int(snapshotNumber)]
        for (field, value) in snapshot.document { snapshotFields.append(field, value) }
        var publishedFields: BSONDocument = ["number": .int(publishedNumber)]
        for (field, value) in published.document { publishedFields.append(field, value) }
        return ["snapshot": .document(snapshotFields), "published": .document(publishedFields)]
    }
}

extension Tally {
    /// The fields of a tally, at the top of a document of `happiness` or inside `snapshot` and `published`.
    var document: BSONDocument {
        [
            "count": .int(count), "sum": .int(sum), "distribution": .array(distribution.map(BSONValue.int)),
            "randomness": .binary(randomness.bytes),
        ]
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        let columns = document["distribution"]?.arrayValue?.compactMap(\.intValue)
        guard let columns, columns.count == Tally.empty.distribution.count else {
            throw UnreadableDocument(field: "distribution")
        }
        // Missing in documents of older versions.
        let randomness = document["randomness"]?.binaryValue ?? BlindingFactor.zero.bytes
        guard let randomness = BlindingFactor(randomness) else { throw UnreadableDocument(field: "randomness") }
        self.init(
            count: try document.int("count"), sum: try document.int("sum"), distribution: columns,
            randomness: randomness)
    }
}

extension Sprint.Key {
    /// From a document's `team` and `start`.
    /// - Throws: `UnreadableDocument` if one of them is missing.
    init(_ document: BSONDocument) throws {
        self.init(teamID: try document.parsed("team"), start: try document.date("start"))
    }
}
