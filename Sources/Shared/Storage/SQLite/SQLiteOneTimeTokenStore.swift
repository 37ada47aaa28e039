import Domain
import Foundation
import GRDB

/// One-time tokens and quotas in the tables `oneTimeTokens` and `quotaPlaces`.
struct SQLiteOneTimeTokenStore: OneTimeTokenStore {
    let database: SQLiteDatabase

    func insert(_ token: OneTimeToken) async throws {
        try await database.write { db in
            try db.change(
                "INSERT INTO oneTimeTokens (\(OneTimeToken.columns)) VALUES (?, ?, ?, ?, ?)",
                [
                    Data(token.hash), token.purpose.rawValue, token.subject, token.email, token.expires.milliseconds,
                ])
        }
    }

    func find(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) async throws -> OneTimeToken? {
        try await database.read { try $0.token(hash: hash, purpose: purpose, at: now) }
    }

    func list(subject: String) async throws -> [OneTimeToken] {
        try await database.read { db in
            try db.rows(
                "SELECT \(OneTimeToken.columns) FROM oneTimeTokens WHERE subject = ? ORDER BY expires, hash", [subject]
            ) { try OneTimeToken(&$0) }
        }
    }

    func deleteAll(purpose: OneTimeToken.Purpose, subject: String) async throws {
        try await database.write { try $0.deleteTokens(purpose: purpose, subject: subject) }
    }

    func deleteExpired(before instant: Date) async throws {
        try await database.write { db in
            try db.change("DELETE FROM oneTimeTokens WHERE expires < ?", [instant.milliseconds])
            try db.change(
                "DELETE FROM quotaPlaces WHERE taken < ?", [OneTimeToken.quotaHorizon(at: instant).milliseconds])
        }
    }

    func takeQuota(key: [UInt8], limit: Int, window: TimeInterval, at now: Date) async throws -> Bool {
        try await database.write { db in
            // A place taken by a process with a fast clock lies in the future and counts: better one mail too few.
            let taken = try db.first(
                "SELECT count(*) FROM quotaPlaces WHERE key = ? AND taken > ?",
                [Data(key), now.addingTimeInterval(-window).milliseconds]
            ) { $0.value(as: Int.self) }
            guard taken ?? 0 < limit else { return false }
            try db.change(
                "INSERT INTO quotaPlaces (key, id, taken) VALUES (?, ?, ?)",
                [Data(key), Identifier<Self>.random().description, now.milliseconds])
            return true
        }
    }
}

extension Database: OneTimeTokenRows {
    func token(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) throws -> OneTimeToken? {
        try first(
            "SELECT \(OneTimeToken.columns) FROM oneTimeTokens WHERE hash = ? AND purpose = ? AND expires > ?",
            [Data(hash), purpose.rawValue, now.milliseconds]
        ) { try OneTimeToken(&$0) }
    }

    func deleteTokens(purpose: OneTimeToken.Purpose, subject: String) throws {
        try change("DELETE FROM oneTimeTokens WHERE subject = ? AND purpose = ?", [subject, purpose.rawValue])
    }
}

extension OneTimeToken {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "hash, purpose, subject, email, expires"

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            hash: row.bytes(), purpose: try row.named(), subject: row.value(), email: row.value(),
            expires: row.instant())
    }
}
