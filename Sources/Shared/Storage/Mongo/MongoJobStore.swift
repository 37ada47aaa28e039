import Domain
import Foundation
import Mongo

/// `JobStore` on the collection `jobs`. Every change of state is one atomic update, whose filter checks who may perform
/// it.
struct MongoJobStore: JobStore {
    let connection: MongoConnection

    func enqueue(_ job: Job) async throws -> Bool {
        try await connection.run { database in
            do {
                try database.collection(.jobs).insertOne(job.document)
                return true
            } catch let error as MongoError where error.kind == .duplicateKey && job.dedupeKey != nil {
                return false
            }
        }
    }

    func lease(kinds: [String], owner: String, at now: Date, until: Date) async throws -> Job? {
        // Both branches are read from the index (state, runAt, _id) in sort order, and merged.
        let kind = BSONValue.among(kinds.map(BSONValue.string))
        let due: BSONDocument = [
            "$or": [
                ["state": .string(Job.State.ready.rawValue), "runAt": ["$lte": .date(now)], "kind": kind],
                ["state": .string(Job.State.leased.rawValue), "leaseUntil": ["$lte": .date(now)], "kind": kind],
            ]
        ]
        let update: BSONDocument = [
            "$set": [
                "state": .string(Job.State.leased.rawValue), "leaseOwner": .string(owner), "leaseUntil": .date(until),
            ],
            "$inc": ["attempts": 1],
        ]
        return try await connection.run { database in
            try database.collection(.jobs)
                .findOneAndUpdate(due, update, sort: ["runAt": 1, "_id": 1], returnNew: true)
                .map(Job.init)
        }
    }

    func extend(id: Job.ID, owner: String, until: Date) async throws -> Bool {
        try await update(Self.job(id, leasedBy: owner), ["$set": ["leaseUntil": .date(until)]])
    }

    func complete(id: Job.ID, owner: String) async throws -> Bool {
        try await update(
            Self.job(id, leasedBy: owner),
            ["$set": ["state": .string(Job.State.done.rawValue)], "$unset": Self.leaseFields])
    }

    func delete(id: Job.ID, owner: String) async throws -> Bool {
        try await connection.run { try $0.collection(.jobs).deleteOne(Self.job(id, leasedBy: owner)) == 1 }
    }

    func release(id: Job.ID, owner: String, runAt: Date, error: String?) async throws -> Bool {
        var fields: BSONDocument = ["state": .string(Job.State.ready.rawValue), "runAt": .date(runAt)]
        fields.appendIfPresent("lastError", error.map(BSONValue.string))
        var changes: BSONDocument = ["$set": .document(fields), "$unset": Self.leaseFields]
        if error == nil { changes.append("$inc", ["attempts": -1]) }
        return try await update(Self.job(id, leasedBy: owner), changes)
    }

    func markDead(id: Job.ID, owner: String, error: String) async throws -> Bool {
        try await update(
            Self.job(id, leasedBy: owner),
            [
                "$set": ["state": .string(Job.State.dead.rawValue), "lastError": .string(error)],
                "$unset": Self.leaseFields,
            ])
    }

    func find(id: Job.ID) async throws -> Job? {
        try await connection.run { try $0.collection(.jobs).findOne(["_id": .id(id)]).map(Job.init) }
    }

    func list(state: Job.State?, limit: Int) async throws -> [Job] {
        guard limit > 0 else { return [] }
        let filter: BSONDocument = state.map { ["state": .string($0.rawValue)] } ?? [:]
        return try await connection.run { database in
            try database.collection(.jobs).find(filter, sort: ["runAt": 1, "_id": 1], limit: limit).map(Job.init)
        }
    }

    func list(naming userID: User.ID) async throws -> [Job] {
        try await connection.run { database in
            try database.collection(.jobs)
                .find(Self.naming(userID), sort: ["runAt": 1, "_id": 1])
                .map(Job.init)
        }
    }

    func deleteAll(naming userID: User.ID, except kept: Job.ID?) async throws {
        var filter = Self.naming(userID)
        filter.appendIfPresent("_id", kept.map { ["$ne": .id($0)] })
        let named = filter
        try await connection.run { _ = try $0.collection(.jobs).deleteMany(named) }
    }

    func count(state: Job.State) async throws -> Int {
        try await connection.run { try $0.collection(.jobs).count(["state": .string(state.rawValue)]) }
    }

    func restart(id: Job.ID, runAt: Date) async throws -> Bool {
        try await update(Self.deadJob(id), Self.restart(at: runAt))
    }

    func restartAll(kind: String?, runAt: Date) async throws -> Int {
        var filter: BSONDocument = ["state": .string(Job.State.dead.rawValue)]
        filter.appendIfPresent("kind", kind.map(BSONValue.string))
        let dead = filter
        return try await connection.run { try $0.collection(.jobs).updateMany(dead, Self.restart(at: runAt)).matched }
    }

    private static func restart(at runAt: Date) -> BSONDocument {
        let fields: BSONValue = [
            "state": .string(Job.State.ready.rawValue), "runAt": .date(runAt), "since": .date(runAt), "attempts": 0,
        ]
        return ["$set": fields]
    }

    func deleteDead(id: Job.ID) async throws -> Bool {
        try await connection.run { try $0.collection(.jobs).deleteOne(Self.deadJob(id)) == 1 }
    }

    func newest(kind: String) async throws -> Job? {
        try await connection.run { database in
            try database.collection(.jobs)
                .find(["kind": .string(kind)], sort: ["runAt": -1, "_id": -1], limit: 1)
                .map(Job.init).first
        }
    }

    func deleteDone(before instant: Date, except kind: String?) async throws {
        try await delete(.done, before: instant, except: kind)
    }

    func deleteDead(before instant: Date) async throws {
        try await delete(.dead, before: instant, except: nil)
    }

    private func delete(_ state: Job.State, before instant: Date, except kind: String?) async throws {
        var filter: BSONDocument = ["state": .string(state.rawValue), "runAt": ["$lt": .date(instant)]]
        filter.appendIfPresent("kind", kind.map { ["$ne": .string($0)] })
        let old = filter
        try await connection.run { _ = try $0.collection(.jobs).deleteMany(old) }
    }

    /// - Returns: whether a job matched.
    private func update(_ filter: BSONDocument, _ changes: BSONDocument) async throws -> Bool {
        try await connection.run { try $0.collection(.jobs).updateOne(filter, changes).matched == 1 }
    }

    private static func job(_ id: Job.ID, leasedBy owner: String) -> BSONDocument {
        ["_id": .id(id), "state": .string(Job.State.leased.rawValue), "leaseOwner": .string(owner)]
    }

    private static func deadJob(_ id: Job.ID) -> BSONDocument {
        ["_id": .id(id), "state": .string(Job.State.dead.rawValue)]
    }

    /// A scan, which is rare and short: done jobs are removed after some days. An id contains no special character of
    /// regular expressions.
    private static func naming(_ userID: User.ID) -> BSONDocument {
        let holdsID: BSONValue = ["$regex": .id(userID)]
        return ["$or": [["payload": holdsID], ["dedupeKey": holdsID]]]
    }

    /// The fields removed when a lease ends.
    private static let leaseFields: BSONValue = ["leaseOwner": "", "leaseUntil": ""]
}

extension MongoRows: JobChanges {
    func insert(_ jobs: [Job]) throws {
        try collection(.jobs).insertMany(jobs.map(\.document), in: transaction)
    }
}
