import Foundation
import Mongo

/// `OneTimeTokenStore` on the collections `oneTimeTokens` and `quotas`.
struct MongoOneTimeTokenStore: OneTimeTokenStore {
    let connection: MongoConnection

    func insert(_ token: OneTimeToken) async throws {
        try await connection.run { try $0.collection(.oneTimeTokens).insertOne(token.document) }
    }

    func find(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) async throws -> OneTimeToken? {
        try await connection.run { database in
            try database.collection(.oneTimeTokens)
                .findOne(Self.unexpired(hash, purpose, at: now))
                .map(OneTimeToken.init)
        }
    }

    func list(subject: String) async throws -> [OneTimeToken] {
        try await connection.run { database in
            try database.collection(.oneTimeTokens)
                .find(["subject": .string(subject)], sort: ["expires": 1, "_id": 1])
                .map(OneTimeToken.init)
        }
    }

    func deleteAll(purpose: OneTimeToken.Purpose, subject: String) async throws {
        try await connection.run { _ = try $0.collection(.oneTimeTokens).deleteMany(Self.all(of: subject, purpose)) }
    }

    func deleteExpired(before instant: Date) async throws {
        let old: BSONValue = ["$lt": .date(OneTimeToken.quotaHorizon(at: instant))]
        try await connection.run { database in
            try database.collection(.oneTimeTokens).deleteMany(["expires": ["$lt": .date(instant)]])
            let quotas = database.collection(.quotas)
            try quotas.updateMany(["taken": old], ["$pull": ["taken": old]])
            try quotas.deleteMany(["taken": []])
        }
    }

    func takeQuota(key: [UInt8], limit: Int, window: TimeInterval, at now: Date) async throws -> Bool {
        let taken: BSONValue = ["$ifNull": ["$taken", []]]
        // A place taken by a process with a fast clock lies in the future and counts: better one mail too few.
        let counting: BSONValue = [
            "$filter": ["input": taken, "cond": ["$gt": ["$$this", .date(now.addingTimeInterval(-window))]]]
        ]
        let update = BSONDocument.pipeline([
            ["$set": ["isGranted": ["$lt": [["$size": counting], .int(limit)]]]],
            [
                "$set": [
                    "taken": ["$cond": ["$isGranted", ["$concatArrays": [taken, [.date(now)]]], taken]]
                ]
            ],
        ])
        return try await connection.run { database in
            let quotas = database.collection(.quotas)
            func take() throws -> Bool {
                let quota = try quotas.findOneAndUpdate(
                    ["_id": .binary(key)], update, upsert: true, returnNew: true)
                guard let quota else { throw UnreadableDocument(field: "isGranted") }
                return try quota.bool("isGranted")
            }
            do {
                return try take()
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Two first calls raced to insert; the document exists now.
                return try take()
            }
        }
    }

    /// The token, if it is valid.
    static func unexpired(_ hash: [UInt8], _ purpose: OneTimeToken.Purpose, at now: Date) -> BSONDocument {
        ["_id": .binary(hash), "purpose": .string(purpose.rawValue), "expires": ["$gt": .date(now)]]
    }

    /// All tokens of a subject with this purpose.
    static func all(of subject: String, _ purpose: OneTimeToken.Purpose) -> BSONDocument {
        ["subject": .string(subject), "purpose": .string(purpose.rawValue)]
    }
}

extension MongoRows: OneTimeTokenRows {
    func token(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) throws -> OneTimeToken? {
        try collection(.oneTimeTokens)
            .findOne(MongoOneTimeTokenStore.unexpired(hash, purpose, at: now), in: transaction)
            .map(OneTimeToken.init)
    }

    /// One statement, so that callers with different tokens of a subject meet at the first of them: one succeeds, the
    /// others get a write conflict, are retried and find theirs gone. If each deleted its own token first, they would
    /// only block each other.
    func deleteTokens(purpose: OneTimeToken.Purpose, subject: String) throws {
        try collection(.oneTimeTokens).deleteMany(MongoOneTimeTokenStore.all(of: subject, purpose), in: transaction)
    }
}
