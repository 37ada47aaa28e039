import Foundation
import GRDB

/// The SQLite file as a whole: schema, availability, fingerprints.
struct SQLiteSystemStore: SystemStore {
    let database: SQLiteDatabase

    let kind = "SQLite"
    /// A file has one writer; a second committer would only wait for the first.
    let ballotPartitions = 1

    func version() async throws -> String {
        try await database.read { db in try db.first("SELECT sqlite_version()") { $0.value(as: String.self) } ?? "?" }
    }

    func time() async throws -> Date? { nil }

    func newestTime() async throws -> Date? {
        try await database.read { db in try db.first("SELECT newest FROM clock") { $0.second() } }
    }

    func recordTime(_ time: Date, after previous: Date?) async throws -> Bool {
        try await database.write { db in
            guard let previous else {
                return try db.change("INSERT OR IGNORE INTO clock (id, newest) VALUES (1, ?)", [time.seconds]) == 1
            }
            return try db.change(
                "UPDATE clock SET newest = ? WHERE newest = ?", [time.seconds, previous.seconds]) == 1
        }
    }

    func exists() async throws -> Bool {
        try await database.read { try !SQLiteMigrations.migrator.appliedIdentifiers($0).isEmpty }
    }

    func migrate() async throws -> [String] {
        try await database.onThread { pool in
            try SQLiteFault.explaining(path: pool.path) { try Self.migrate(pool) }
        }
    }

    private static func migrate(_ pool: DatabasePool) throws -> [String] {
        let migrator = SQLiteMigrations.migrator
        try pool.read(SQLiteMigrations.requireKnown)
        // Before the first turn: an interrupted turn may have run migrations, too.
        let before = try pool.read(SQLiteMigrations.applied)
        while true {
            let recorded = try pool.read(migrator.appliedIdentifiers)
            try pool.read(SQLiteMigrations.requireKnown)
            do {
                try migrator.migrate(pool)
            } catch {
                // A process that starts concurrently may have run a migration between our check and our turn, so
                // that ours found its tables. Then continue after it. If no migration was applied, it is an error.
                guard try pool.read(migrator.appliedIdentifiers) != recorded else { throw error }
                continue
            }
            let after = try pool.read(SQLiteMigrations.applied)
            return migrator.migrations.filter { after.contains($0) && !before.contains($0) }
        }
    }

    func requireKnownSchema() async throws {
        try await database.read { try SQLiteMigrations.requireKnown($0) }
    }

    func migrations() async throws -> [(name: String, isApplied: Bool)] {
        let applied = try await database.read { try SQLiteMigrations.applied(in: $0) }
        return SQLiteMigrations.migrator.migrations.map { ($0, applied.contains($0)) }
    }

    func check() async throws -> [ReceiptMismatch] {
        try await database.onThread { pool in
            // Checking reads every page of the file; the server does not need them again.
            defer { pool.releaseMemory() }
            do {
                return try pool.read { db in
                    try db.requireIntactPages()
                    return try db.receiptMismatches()
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                throw DamagedStore("The SQLite file is damaged. Restore a backup: HappinessAPI restore FILE")
            }
        }
    }

    func acceptMismatches() async throws {
        try await database.write { try $0.matchReceipts() }
    }

    func backUp(to path: String) async throws {
        try await database.onThread { try SQLiteBackup.make(of: $0, at: path) }
    }

    var isWritable: Bool { database.writability.isGiven }

    func ping() async throws {
        let writability = database.writability
        do {
            // An immediate transaction takes the write lock, which fails for a read-only or missing file.
            let isProven = try await database.write { db in
                _ = try db.contains("SELECT 1 FROM sqlite_schema", [])
                // An idle server need not wait for the disk at every ping: the heartbeat writes, and ballots do.
                guard !writability.isGiven else { return false }
                try db.tryWriting(bytes: Self.trialLength)
                return true
            }
            if isProven { writability.noteProof() }
        } catch let error as CancellationError {
            throw error
        } catch {
            writability.noteFailure()
            throw error
        }
    }

    /// Bytes. More than a transaction of ballots needs: on a full disk a small write may still find room in the log.
    private static let trialLength = 1 << 20

    func fingerprint(named name: String, orStore fingerprint: [UInt8]) async throws -> [UInt8] {
        try await database.write { db in
            try db.change(
                "INSERT OR IGNORE INTO secrets (name, fingerprint) VALUES (?, ?)", [name, Data(fingerprint)])
            return try db.first("SELECT fingerprint FROM secrets WHERE name = ?", [name]) { $0.bytes() } ?? fingerprint
        }
    }

    func replaceFingerprint(named name: String, by fingerprint: [UInt8]) async throws {
        try await database.write { db in
            _ = try db.change(
                "INSERT OR REPLACE INTO secrets (name, fingerprint) VALUES (?, ?)", [name, Data(fingerprint)])
        }
    }

    func fingerprints() async throws -> [String: [UInt8]] {
        try await database.read { try $0.fingerprints() }
    }

    func close() async throws {
        try await database.onThread { pool in
            // Readers first: the last connection to close moves the write-ahead log into the file and removes it, but
            // only if it may write.
            pool.invalidateReadOnlyConnections()
            try pool.close()
        }
    }
}

extension Database {
    /// Stores and deletes a row that nobody sees. Its pages are written nevertheless, since they are overwritten when
    /// they become free (`secure_delete`).
    fileprivate func tryWriting(bytes: Int) throws {
        let name = "trial"
        try change("INSERT INTO secrets (name, fingerprint) VALUES (?, zeroblob(?))", [name, bytes])
        try change("DELETE FROM secrets WHERE name = ?", [name])
    }

    /// Of the secrets that the store was used with, by name.
    func fingerprints() throws -> [String: [UInt8]] {
        let entries: [(String, [UInt8])] = try rows("SELECT name, fingerprint FROM secrets") { row in
            (row.value(), row.bytes())
        }
        return Dictionary(uniqueKeysWithValues: entries)
    }
}
