import Domain
import Foundation
import GRDB

extension Database: DeletionRows, DeletionWrites {
    func deletions() throws -> [Deletion] {
        try rows("SELECT hash, day FROM deletions ORDER BY hash") { row in
            Deletion(hash: row.bytes(), day: try row.parsed())
        }
    }

    func remember(_ deletions: [Deletion]) throws {
        for deletion in deletions {
            try change(
                """
                INSERT INTO deletions (hash, day) VALUES (?, ?)
                ON CONFLICT (hash) DO UPDATE SET day = excluded.day
                """, [Data(deletion.hash), deletion.day.description])
        }
    }

    func forget(_ deletions: [Deletion]) throws {
        for deletion in deletions { try change("DELETE FROM deletions WHERE hash = ?", [Data(deletion.hash)]) }
    }
}

extension Database: DeletionChanges {
    func insert(_ deletion: Deletion) throws {
        try change(
            "INSERT OR IGNORE INTO deletions (hash, day) VALUES (?, ?)",
            [Data(deletion.hash), deletion.day.description])
    }
}
