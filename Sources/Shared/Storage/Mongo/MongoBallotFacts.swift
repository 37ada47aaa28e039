import Foundation
import Mongo

extension BallotDecision.Facts {
    /// What is asked beside sessions, memberships and member counts.
    struct Extras: OptionSet {
        let rawValue: Int

        /// Terms and state of the sprints.
        static let sprints = Extras(rawValue: 1)
        /// Which receipts are there. Only after an insertion failed: nearly all votes are first votes.
        static let receipts = Extras(rawValue: 2)
    }

    /// Fetches the facts of a batch in one round trip, whatever its size: one aggregation over the collections.
    ///
    /// Outside the transaction, because `$unionWith` is not allowed inside
    /// (https://www.mongodb.com/docs/manual/reference/operator/aggregation/unionWith/). For session and membership that
    /// is as good: a vote is judged by what was so at an instant between its coming in and its answer. The sprint's
    /// state must still be the same in the transaction, which `MongoBallotWriter` sees to.
    init(for ballots: [Ballot], with extras: Extras, in database: MongoDatabase) throws {
        let sprintIDs = Self.byDocumentID(Set(ballots.map(\.sprint)))
        let members = Self.byDocumentID(
            ballots.map { BallotAdmission.Member(teamID: $0.sprint.teamID, userID: $0.userID) })
        let teamIDs = Set(ballots.map(\.sprint.teamID))
        var pipeline = Self.stages(
            .sessions, ["_id": .among(Set(ballots.map(\.sessionID)).map(BSONValue.id))],
            fields: ["user": 1, "expires": 1])
        pipeline.append(
            Self.union(.memberships, ["_id": .among(members.keys.map(BSONValue.string))], fields: [:]))
        pipeline.append(
            Self.union(.teams, ["_id": .among(teamIDs.map(BSONValue.id))], fields: ["memberCount": 1]))
        if extras.contains(.sprints) {
            pipeline.append(Self.union(.happiness, .among(Set(sprintIDs.values)), fields: Self.sprintFields))
        }
        if extras.contains(.receipts) {
            pipeline.append(Self.union(.userSprints, .among(Set(ballots.map(\.receipt))), fields: [:]))
        }
        let documents = try database.collection(.sessions).aggregate(pipeline, options: Self.oneBatch)
        var admission = BallotAdmission()
        var receiptIDs: Set<[UInt8]> = []
        for document in documents {
            switch try document.choice("from", as: MongoCollectionName.self) {
            case .sessions:
                admission.sessions[try document.parsed("_id")] = (
                    userID: try document.parsed("user"), expires: try document.date("expires")
                )
            case .memberships:
                if let member = members[try document.text("_id")] { admission.memberships.insert(member) }
            case .teams:
                admission.memberCounts[try document.parsed("_id")] = try document.int("memberCount")
            case .happiness:
                if let key = sprintIDs[try document.text("_id")] {
                    sprints[key] = try BallotDecision.OpenSprint(document)
                }
            case .userSprints:
                receiptIDs.insert(try document.bytes("_id"))
            default:
                continue
            }
        }
        self.admission = admission
        receipts = Set(ballots.lazy.map(\.receipt).filter { receiptIDs.contains($0.bytes) })
    }

    /// Everything in the first answer; the default would be 101 documents, and further round trips for the rest.
    private static let oneBatch: BSONDocument = ["batchSize": 10_000]

    private static let sprintFields: BSONDocument = [
        "threshold": 1, "policy": 1, "closed": 1, "count": 1, "sum": 1, "distribution": 1, "snapshot": 1,
        "published": 1,
    ]

    /// The documents a filter finds, with the named fields and where they come from.
    private static func stages(
        _ name: MongoCollectionName, _ filter: BSONDocument, fields: BSONDocument
    ) -> [BSONDocument] {
        var projection: BSONDocument = ["from": ["$literal": .string(name.rawValue)]]
        for (field, value) in fields { projection.append(field, value) }
        return [["$match": .document(filter)], ["$project": .document(projection)]]
    }

    private static func union(
        _ name: MongoCollectionName, _ filter: BSONDocument, fields: BSONDocument
    ) -> BSONDocument {
        let pipeline = stages(name, filter, fields: fields).map(BSONValue.document)
        return ["$unionWith": ["coll": .string(name.rawValue), "pipeline": .array(pipeline)]]
    }

    private static func byDocumentID(_ keys: Set<Sprint.Key>) -> [String: Sprint.Key] {
        Dictionary(keys.map { ($0.documentID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func byDocumentID(_ members: [BallotAdmission.Member]) -> [String: BallotAdmission.Member] {
        Dictionary(
            members.map { (Membership.documentID(of: $0.userID, in: $0.teamID), $0) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension BallotDecision.OpenSprint {
    /// Reads the fields of a document of `happiness` that counting needs.
    init(_ document: BSONDocument) throws {
        self.init(
            policy: try document.choice("policy"), threshold: try document.int("threshold"),
            state: try PublicationState(document))
    }
}
