import Domain
import Foundation
import Mongo

/// `ProcessStore` on the collection `processes`.
struct MongoProcessStore: ProcessStore {
    let connection: MongoConnection

    func record(_ record: ProcessRecord) async throws {
        let document = record.document
        try await connection.run { database in
            _ = try database.collection(.processes).replaceOne(["_id": .id(record.id)], document, upsert: true)
        }
    }

    func list(since instant: Date, aliveSince: Date, maximumGone: Int) async throws -> [ProcessRecord] {
        let alive: BSONDocument = ["seen": ["$gte": .date(aliveSince)]]
        let gone: BSONDocument = ["seen": ["$gte": .date(instant), "$lt": .date(aliveSince)]]
        return try await connection.run { database in
            let processes = database.collection(.processes)
            let latest = try processes.find(gone, sort: ["seen": -1, "_id": 1], limit: maximumGone)
            return try (processes.find(alive) + latest).map(ProcessRecord.init).sorted { $0.place < $1.place }
        }
    }

    func delete(id: ProcessRecord.ID) async throws {
        _ = try await connection.run { try $0.collection(.processes).deleteOne(["_id": .id(id)]) }
    }

    func deleteUnseen(since instant: Date) async throws {
        _ = try await connection.run { try $0.collection(.processes).deleteMany(["seen": ["$lt": .date(instant)]]) }
    }

    func deleteUnseen(since instant: Date, kind: ProcessRecord.Kind, host: String) async throws {
        let unseen: BSONDocument = [
            "seen": ["$lt": .date(instant)], "kind": .string(kind.rawValue), "host": .string(host),
        ]
        _ = try await connection.run { try $0.collection(.processes).deleteMany(unseen) }
    }
}

extension ProcessRecord {
    /// The sort key in lists.
    fileprivate var place: (String, String, Date, ID) { (kind.rawValue, host, started, id) }

    fileprivate var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id), "kind": .string(kind.rawValue), "host": .string(host), "version": .string(version),
            "started": .date(started), "seen": .date(seen), "memory": .int(load.memory), "cpu": .double(load.cpu),
        ]
        document.appendIfPresent("connections", load.connections.map { .int($0) })
        document.appendIfPresent(
            "requests", load.requests.map { .array([.int($0.answered), .int($0.refused), .int($0.failed)]) })
        return document
    }

    fileprivate init(_ document: BSONDocument) throws {
        let rates = document["requests"] == nil ? [] : try document.list("requests", \.intValue)
        guard let cpu = document["cpu"]?.doubleValue else { throw UnreadableDocument(field: "cpu") }
        self.init(
            id: try document.parsed("_id"), kind: try document.choice("kind"), host: try document.text("host"),
            version: try document.text("version"), started: try document.date("started"),
            seen: try document.date("seen"),
            load: ProcessLoad(
                memory: Double(try document.int("memory")), cpu: cpu, connections: document["connections"]?.intValue,
                requests: rates.count == 3
                    ? RequestRates(answered: rates[0], refused: rates[1], failed: rates[2]) : nil))
    }
}
