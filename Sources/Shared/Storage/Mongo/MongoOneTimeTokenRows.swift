import Domain
import Foundation
import Mongo

extension MongoRows: OneTimeTokenRows, OneTimeTokenWrites, QuotaWrites {
    func token(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) throws -> OneTimeToken? {
        try collection(.oneTimeTokens)
            .findOne(Self.unexpired(hash, purpose, at: now), in: transaction)
            .map(OneTimeToken.init)
    }

    /// One statement, so that callers with different tokens of a subject meet at the first of them: one succeeds, the
    /// others get a write conflict, are retried and find theirs gone. If each deleted its own token first, they would
    /// only block each other.
    func deleteTokens(purpose: OneTimeToken.Purpose, subject: String) throws {
        try collection(.oneTimeTokens).deleteMany(Self.all(of: subject, purpose), in: transaction)
    }

    func insert(_ token: OneTimeToken) throws {
        try collection(.oneTimeTokens).insertOne(token.document, in: transaction)
    }

    func tokens(of subject: String) throws -> [OneTimeToken] {
        try collection(.oneTimeTokens)
            .find(["subject": .string(subject)], sort: ["expires": 1, "_id": 1], in: transaction)
            .map(OneTimeToken.init)
    }

    func deleteExpiredTokens(before instant: Date) throws {
        let old: BSONValue = ["$lt": .date(OneTimeToken.quotaHorizon(at: instant))]
        try collection(.oneTimeTokens).deleteMany(["expires": ["$lt": .date(instant)]], in: transaction)
        let quotas = collection(.quotas)
        try quotas.updateMany(["taken": old], ["$pull": ["taken": old]], in: transaction)
        try quotas.deleteMany(["taken": []], in: transaction)
    }

    func takeQuota(_ key: [UInt8], limit: Int, window: TimeInterval, at now: Date) throws -> Bool {
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
        let quotas = collection(.quotas)
        func take() throws -> Bool {
            let quota = try quotas.findOneAndUpdate(
                ["_id": .binary(key)], update, upsert: true, returnNew: true, in: transaction)
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

    /// The token, if it is valid.
    private static func unexpired(_ hash: [UInt8], _ purpose: OneTimeToken.Purpose, at now: Date) -> BSONDocument {
        ["_id": .binary(hash), "purpose": .string(purpose.rawValue), "expires": ["$gt": .date(now)]]
    }

    /// All tokens of a subject with this purpose.
    private static func all(of subject: String, _ purpose: OneTimeToken.Purpose) -> BSONDocument {
        ["subject": .string(subject), "purpose": .string(purpose.rawValue)]
    }
}
