import Domain
import Foundation
import GRDB

extension Database: OneTimeTokenRows, OneTimeTokenWrites, QuotaWrites {
    func token(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) throws -> OneTimeToken? {
        try first(
            "SELECT \(OneTimeToken.columns) FROM oneTimeTokens WHERE hash = ? AND purpose = ? AND expires > ?",
            [Data(hash), purpose.rawValue, now.milliseconds]
        ) { try OneTimeToken(&$0) }
    }

    func deleteTokens(purpose: OneTimeToken.Purpose, subject: String) throws {
        try change("DELETE FROM oneTimeTokens WHERE subject = ? AND purpose = ?", [subject, purpose.rawValue])
    }

    func insert(_ token: OneTimeToken) throws {
        try change(
            "INSERT INTO oneTimeTokens (\(OneTimeToken.columns)) VALUES (?, ?, ?, ?, ?)",
            [
                Data(token.hash), token.purpose.rawValue, token.subject, token.email, token.expires.milliseconds,
            ])
    }

    func tokens(of subject: String) throws -> [OneTimeToken] {
        try rows(
            "SELECT \(OneTimeToken.columns) FROM oneTimeTokens WHERE subject = ? ORDER BY expires, hash", [subject]
        ) { try OneTimeToken(&$0) }
    }

    func deleteExpiredTokens(before instant: Date) throws {
        try change("DELETE FROM oneTimeTokens WHERE expires < ?", [instant.milliseconds])
        try change(
            "DELETE FROM quotaPlaces WHERE taken < ?", [OneTimeToken.quotaHorizon(at: instant).milliseconds])
    }

    func takeQuota(_ key: [UInt8], limit: Int, window: TimeInterval, at now: Date) throws -> Bool {
        // A place taken by a process with a fast clock lies in the future and counts: better one mail too few.
        let taken = try first(
            "SELECT count(*) FROM quotaPlaces WHERE key = ? AND taken > ?",
            [Data(key), now.addingTimeInterval(-window).milliseconds]
        ) { $0.value(as: Int.self) }
        guard taken ?? 0 < limit else { return false }
        try change(
            "INSERT INTO quotaPlaces (key, id, taken) VALUES (?, ?, ?)",
            [Data(key), Identifier<OneTimeToken>.random().description, now.milliseconds])
        return true
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
