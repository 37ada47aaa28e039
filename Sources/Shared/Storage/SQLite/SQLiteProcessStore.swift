import Domain
import Foundation
import GRDB

/// Heartbeats in the table `processes`.
struct SQLiteProcessStore: ProcessStore {
    let database: SQLiteDatabase

    func record(_ record: ProcessRecord) async throws {
        let load = record.load
        try await database.write { db in
            try db.change(
                "INSERT OR REPLACE INTO processes (\(ProcessRecord.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                [
                    record.id.description, record.kind.rawValue, record.host, record.version, record.started.seconds,
                    record.seen.seconds, load.memory, load.cpu, load.connections, load.requests?.answered,
                    load.requests?.refused, load.requests?.failed,
                ])
        }
    }

    func list(since instant: Date, aliveSince: Date, maximumGone: Int) async throws -> [ProcessRecord] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(ProcessRecord.columns) FROM processes WHERE seen >= :alive
                UNION ALL
                SELECT * FROM (
                    SELECT \(ProcessRecord.columns) FROM processes WHERE seen >= :since AND seen < :alive
                    ORDER BY seen DESC, id LIMIT :maximumGone
                )
                ORDER BY kind, host, started, id
                """,
                ["since": instant.seconds, "alive": aliveSince.seconds, "maximumGone": maximumGone]
            ) { try ProcessRecord(&$0) }
        }
    }

    func delete(id: ProcessRecord.ID) async throws {
        try await database.write { try $0.change("DELETE FROM processes WHERE id = ?", [id.description]) }
    }

    func deleteUnseen(since instant: Date) async throws {
        try await database.write { try $0.change("DELETE FROM processes WHERE seen < ?", [instant.seconds]) }
    }

    func deleteUnseen(since instant: Date, kind: ProcessRecord.Kind, host: String) async throws {
        try await database.write { db in
            try db.change(
                "DELETE FROM processes WHERE seen < ? AND kind = ? AND host = ?",
                [instant.seconds, kind.rawValue, host])
        }
    }
}

extension ProcessRecord {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = """
        id, kind, host, version, started, seen, memory, cpu, connections, answered, refused, failed
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), kind: try row.named(), host: row.value(), version: row.value(), started: row.second(),
            seen: row.second(), load: ProcessLoad(&row))
    }
}

extension ProcessLoad {
    fileprivate init(_ row: inout SQLiteRow) {
        let memory: Double = Double(row.value(as: Int.self))
        let (cpu, connections): (Double, Int?) = (row.value(), row.optional())
        let counts: [Int?] = [row.optional(), row.optional(), row.optional()]
        let rates = counts.compactMap { $0 }
        self.init(
            memory: memory, cpu: cpu, connections: connections,
            requests: rates.count == 3
                ? RequestRates(answered: rates[0], refused: rates[1], failed: rates[2]) : nil)
    }
}
