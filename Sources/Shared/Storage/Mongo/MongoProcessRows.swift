import Domain
import Foundation
import Mongo

extension MongoRows: ProcessRows, ProcessWrites {
    func record(_ record: ProcessRecord) throws {
        let document = record.document
        try collection(.processes).replaceOne(["_id": .id(record.id)], document, upsert: true, in: transaction)
    }

    func processes(since instant: Date, aliveSince: Date, maximumGone: Int) throws -> [ProcessRecord] {
        let alive: BSONDocument = ["seen": ["$gte": .date(aliveSince)]]
        let gone: BSONDocument = ["seen": ["$gte": .date(instant), "$lt": .date(aliveSince)]]
        let processes = collection(.processes)
        let latest = try processes.find(gone, sort: ["seen": -1, "_id": 1], limit: maximumGone, in: transaction)
        return try (processes.find(alive, in: transaction) + latest).map(ProcessRecord.init).sorted {
            $0.place < $1.place
        }
    }

    func deleteProcess(_ id: ProcessRecord.ID) throws {
        try collection(.processes).deleteOne(["_id": .id(id)], in: transaction)
    }

    func deleteProcesses(unseenSince instant: Date) throws {
        try collection(.processes).deleteMany(["seen": ["$lt": .date(instant)]], in: transaction)
    }

    func deleteProcesses(unseenSince instant: Date, kind: ProcessRecord.Kind, host: String) throws {
        let unseen: BSONDocument = [
            "seen": ["$lt": .date(instant)], "kind": .string(kind.rawValue), "host": .string(host),
        ]
        try collection(.processes).deleteMany(unseen, in: transaction)
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
