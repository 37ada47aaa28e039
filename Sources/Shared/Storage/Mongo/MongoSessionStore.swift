import Foundation
import Mongo

/// `SessionStore` on the collections `sessions` and `loginFailures`.
struct MongoSessionStore: MongoTransactions, SessionStore {
    let connection: MongoConnection

    func find(id: Session.ID) async throws -> Session? {
        try await connection.run { try $0.collection(.sessions).findOne(["_id": .id(id)]).map(Session.init) }
    }

    func find(sessions: [Session.ID], membershipsOf userIDs: [User.ID]) async throws -> (
        sessions: [Session], memberships: [Membership]
    ) {
        let ofUsers: BSONDocument = ["user": .among(userIDs.map(BSONValue.id))]
        let pipeline: [BSONDocument] = [
            ["$match": ["_id": .among(sessions.map(BSONValue.id))]],
            [
                "$unionWith": [
                    "coll": .string(MongoCollectionName.memberships.rawValue),
                    "pipeline": [["$match": .document(ofUsers)]],
                ]
            ],
        ]
        return try await connection.run { database in
            // All in the first reply, which by default has 101 documents.
            let found = try database.collection(.sessions).aggregate(pipeline, options: ["batchSize": 10_000])
            // Only memberships have a role.
            let firstMembership = found.firstIndex { $0["role"] != nil } ?? found.endIndex
            return (
                try found[..<firstMembership].map(Session.init), try found[firstMembership...].map(Membership.init)
            )
        }
    }

    func revocations() async throws -> [RevocationSlot: Int] {
        try await connection.run { database in
            try database.collection(.revocations).find([:], options: ["batchSize": 256]).reduce(into: [:]) {
                $0[try $1.parsed("_id")] = try $1.int("number")
            }
        }
    }

    func list(userID: User.ID, at now: Date) async throws -> [Session] {
        try await connection.run { database in
            try database.collection(.sessions)
                .find(["user": .id(userID), "expires": ["$gt": .date(now)]], sort: ["lastUsed": -1, "_id": 1])
                .map(Session.init)
        }
    }

    func rotate(
        id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) async throws -> Bool {
        let fields: BSONDocument = [
            "repeatUntil": .date(repeatUntil), "expires": .date(Session.beginningOfDay(notBefore: expires)),
        ]
        return try await connection.run { database in
            try database.deleteRepeats(at: now)
            let result = try database.collection(.sessions).updateOne(
                ["_id": .id(id), "generation": .int(generation)],
                ["$inc": ["generation": 1], "$set": .document(fields)])
            return result.matched == 1
        }
    }

    func deleteRepeats(at now: Date) async throws {
        try await connection.run { try $0.deleteRepeats(at: now) }
    }

    func touch(_ ids: [Session.ID], day: CalendarDay) async throws {
        try await connection.run { database in
            _ = try database.collection(.sessions).updateMany(
                ["_id": .among(ids.map(BSONValue.id))], ["$set": ["lastUsed": .string(day.description)]])
        }
    }

    func end(id: Session.ID) async throws {
        try await connection.run { try $0.endSessions(["_id": .id(id)]) }
    }

    func endAll(userID: User.ID, except: Session.ID?) async throws {
        var filter: BSONDocument = ["user": .id(userID)]
        filter.appendIfPresent("_id", except.map { ["$ne": .id($0)] })
        let chosen = filter
        try await connection.run { try $0.endSessions(chosen) }
    }

    func deleteExpired(before instant: Date) async throws {
        try await connection.run { database in
            try database.endSessions(["expires": ["$lt": .date(instant)]])
            // Expired failures have no other cleanup.
            try database.collection(.loginFailures).deleteMany(["last": ["$lt": .date(Self.horizon(at: instant))]])
        }
    }

    func failures(key: [UInt8]) async throws -> LoginFailures? {
        try await connection.run { database in
            try database.collection(.loginFailures).findOne(["_id": .binary(key)]).map(LoginFailures.init)
        }
    }

    func recordFailure(key: [UInt8], at now: Date) async throws -> LoginFailures {
        // A missing `last` sorts before every date, so a new key starts at one, like an expired one.
        let count: BSONValue = [
            "$cond": [["$lt": ["$last", .date(Self.horizon(at: now))]], 1, ["$add": ["$count", 1]]]
        ]
        let update = BSONDocument.pipeline([["$set": ["count": count, "last": .date(now)]]])
        return try await connection.run { database in
            let failures = database.collection(.loginFailures)
            func count() throws -> LoginFailures {
                let counted = try failures.findOneAndUpdate(
                    ["_id": .binary(key)], update, upsert: true, returnNew: true)
                guard let counted else { throw UnreadableDocument(field: "count") }
                return try LoginFailures(counted)
            }
            do {
                return try count()
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Two first failures raced to insert; the document exists now.
                return try count()
            }
        }
    }

    func deleteFailures(key: [UInt8]) async throws {
        try await connection.run { _ = try $0.collection(.loginFailures).deleteOne(["_id": .binary(key)]) }
    }

    /// A counter whose last failure is older than this has expired.
    private static func horizon(at now: Date) -> Date {
        now.addingTimeInterval(-LoginFailures.memory)
    }
}

extension MongoDatabase {
    fileprivate func deleteRepeats(at now: Date) throws {
        try collection(.sessions).updateMany(
            ["repeatUntil": ["$lt": .date(now)]], ["$unset": ["repeatUntil": ""]])
    }
}

extension MongoRows: SessionRows {
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
