import Domain
import Foundation
import Mongo

extension MongoRows: SessionRows, SessionWrites {
    func session(_ id: Session.ID) throws -> Session? {
        try collection(.sessions).findOne(["_id": .id(id)], in: transaction).map(Session.init)
    }

    func sessions(_ ids: [Session.ID], membershipsOf userIDs: [User.ID]) throws -> (
        sessions: [Session], memberships: [Membership]
    ) {
        let ofUsers: BSONDocument = ["user": .among(userIDs.map(BSONValue.id))]
        let pipeline: [BSONDocument] = [
            ["$match": ["_id": .among(ids.map(BSONValue.id))]],
            [
                "$unionWith": [
                    "coll": .string(MongoCollectionName.memberships.rawValue),
                    "pipeline": [["$match": .document(ofUsers)]],
                ]
            ],
        ]
        // All in the first reply, which by default has 101 documents.
        let found = try collection(.sessions).aggregate(pipeline, options: ["batchSize": 10_000], in: transaction)
        // Only memberships have a role.
        let firstMembership = found.firstIndex { $0["role"] != nil } ?? found.endIndex
        return (
            try found[..<firstMembership].map(Session.init), try found[firstMembership...].map(Membership.init)
        )
    }

    func revocations() throws -> [RevocationSlot: Int] {
        try collection(.revocations).find([:], options: ["batchSize": 256], in: transaction).reduce(into: [:]) {
            $0[try $1.parsed("_id")] = try $1.int("number")
        }
    }

    func sessions(of userID: User.ID, at now: Date) throws -> [Session] {
        try collection(.sessions)
            .find(
                ["user": .id(userID), "expires": ["$gt": .date(now)]], sort: ["lastUsed": -1, "_id": 1], in: transaction
            )
            .map(Session.init)
    }

    func rotate(
        _ id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) throws -> Bool {
        let fields: BSONDocument = [
            "repeatUntil": .date(repeatUntil), "expires": .date(Session.beginningOfDay(notBefore: expires)),
        ]
        try deleteRepeats(at: now)
        let result = try collection(.sessions).updateOne(
            ["_id": .id(id), "generation": .int(generation)],
            ["$inc": ["generation": 1], "$set": .document(fields)], in: transaction)
        return result.matched == 1
    }

    func deleteRepeats(at now: Date) throws {
        try collection(.sessions).updateMany(
            ["repeatUntil": ["$lt": .date(now)]], ["$unset": ["repeatUntil": ""]], in: transaction)
    }

    func touch(_ ids: [Session.ID], day: CalendarDay) throws {
        try collection(.sessions).updateMany(
            ["_id": .among(ids.map(BSONValue.id))], ["$set": ["lastUsed": .string(day.description)]], in: transaction)
    }

    func endSession(_ id: Session.ID) throws {
        try database.endSessions(["_id": .id(id)])
    }

    func deleteExpiredSessions(before instant: Date) throws {
        try database.endSessions(["expires": ["$lt": .date(instant)]])
        // Expired failures have no other cleanup.
        try collection(.loginFailures).deleteMany(["last": ["$lt": .date(Self.horizon(at: instant))]], in: transaction)
    }

    func loginFailures(_ key: [UInt8]) throws -> LoginFailures? {
        try collection(.loginFailures).findOne(["_id": .binary(key)], in: transaction).map(LoginFailures.init)
    }

    func recordLoginFailure(_ key: [UInt8], at now: Date) throws -> LoginFailures {
        // A missing `last` sorts before every date, so a new key starts at one, like an expired one.
        let count: BSONValue = [
            "$cond": [["$lt": ["$last", .date(Self.horizon(at: now))]], 1, ["$add": ["$count", 1]]]
        ]
        let update = BSONDocument.pipeline([["$set": ["count": count, "last": .date(now)]]])
        let failures = collection(.loginFailures)
        func recorded() throws -> LoginFailures {
            let counted = try failures.findOneAndUpdate(
                ["_id": .binary(key)], update, upsert: true, returnNew: true, in: transaction)
            guard let counted else { throw UnreadableDocument(field: "count") }
            return try LoginFailures(counted)
        }
        do {
            return try recorded()
        } catch let error as MongoError where error.kind == .duplicateKey {
            // Two first failures raced to insert; the document exists now.
            return try recorded()
        }
    }

    func deleteLoginFailures(_ key: [UInt8]) throws {
        try collection(.loginFailures).deleteOne(["_id": .binary(key)], in: transaction)
    }

    /// A counter whose last failure is older than this has expired.
    private static func horizon(at now: Date) -> Date {
        now.addingTimeInterval(-LoginFailures.memory)
    }
}

extension MongoRows: SessionChanges {
    func lock(_ sessionID: Session.ID, of userID: User.ID) throws -> Bool {
        try lock(["_id": .id(sessionID), "user": .id(userID)], in: .sessions)
    }

    func insert(_ session: Session) throws {
        try collection(.sessions).insertOne(session.document, in: transaction)
    }

    func endSessions(of userID: User.ID, except kept: Session.ID?) throws {
        var filter: BSONDocument = ["user": .id(userID)]
        filter.appendIfPresent("_id", kept.map { ["$ne": .id($0)] })
        try database.endSessions(filter, in: transaction)
    }

    func endOldestSessions(of userID: User.ID, keeping count: Int) throws {
        let sessions = try collection(.sessions).find(
            ["user": .id(userID)], sort: ["lastUsed": -1, "expires": -1, "_id": 1], projection: ["_id": 1],
            in: transaction)
        let surplus = sessions.dropFirst(count)
        guard !surplus.isEmpty else { return }
        try database.endSessions(["_id": .among(surplus.compactMap { $0["_id"] })], in: transaction)
    }
}
