import Domain
import Foundation
import GRDB

/// Deletions in the table `deletions`.
struct SQLiteDeletionStore: DeletionStore {
    let database: SQLiteDatabase

    func list() async throws -> [Deletion] {
        try await database.read { try $0.deletions() }
    }

    func add(_ deletions: [Deletion]) async throws {
        try await database.write { db in
            for deletion in deletions {
                try db.change(
                    """
                    INSERT INTO deletions (hash, day) VALUES (?, ?)
                    ON CONFLICT (hash) DO UPDATE SET day = excluded.day
                    """, [Data(deletion.hash), deletion.day.description])
            }
        }
    }

    func delete(_ deletions: [Deletion]) async throws {
        try await database.write { db in
            for deletion in deletions { try db.change("DELETE FROM deletions WHERE hash = ?", [Data(deletion.hash)]) }
        }
    }
}

extension Database: DeletionRows {
    func insert(_ deletion: Deletion) throws {
        try change(
            "INSERT OR IGNORE INTO deletions (hash, day) VALUES (?, ?)",
            [Data(deletion.hash), deletion.day.description])
    }

    /// All deletions, ordered by hash.
    func deletions() throws -> [Deletion] {
        try rows("SELECT hash, day FROM deletions ORDER BY hash") { row in
            Deletion(hash: row.bytes(), day: try row.parsed())
        }
    }
}
