import Domain
import Foundation
import GRDB

extension Database: ProcessRows, ProcessWrites {
    func record(_ record: ProcessRecord) throws {
        let load = record.load
        try change(
            "INSERT OR REPLACE INTO processes (\(ProcessRecord.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                record.id.description, record.kind.rawValue, record.host, record.version, record.started.seconds,
                record.seen.seconds, load.memory, load.cpu, load.connections, load.requests?.answered,
                load.requests?.refused, load.requests?.failed,
            ])
    }

    func processes(since instant: Date, aliveSince: Date, maximumGone: Int) throws -> [ProcessRecord] {
        try rows(
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

    func deleteProcess(_ id: ProcessRecord.ID) throws {
        try change("DELETE FROM processes WHERE id = ?", [id.description])
    }

    func deleteProcesses(unseenSince instant: Date) throws {
        try change("DELETE FROM processes WHERE seen < ?", [instant.seconds])
    }

    func deleteProcesses(unseenSince instant: Date, kind: ProcessRecord.Kind, host: String) throws {
        try change(
            "DELETE FROM processes WHERE seen < ? AND kind = ? AND host = ?",
            [instant.seconds, kind.rawValue, host])
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
