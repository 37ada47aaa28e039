import Crypto
import Foundation
import Mongo

/// Copies of the database in a file of ours, made while everything runs and put back when nothing does.
///
/// A file and not `mongodump`: that reads one collection after the other, so that receipts and ballots of a running sprint
/// would not match, unless it takes the oplog along, and with it the order and the second of each ballot. Here all
/// collections are read as they were at one moment, in order of their ids.
///
/// The file is a sequence of BSON documents: a head, then for each collection its options and indexes and its documents,
/// then an end with the SHA-256 of all before it.
enum MongoBackup {
    /// What a file begins with.
    private static let format = 1
    /// Signs of life belong to processes, not to the data.
    private static let left: Set<String> = [MongoCollectionName.processes.rawValue]
    /// Documents that are inserted at a time: at most 16 MiB each, mostly some hundred bytes.
    private static let batchSize = 200

    /// The name under `migrations` of a restore that has begun and not ended.
    static let unfinished = "restore-under-way"

    // MARK: - Making

    /// Writes a copy of the database.
    /// - Throws: `MongoStorageError.backup` if there is a file already, or no room for it; then nothing is left of it.
    static func make(of database: MongoDatabase, at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw MongoStorageError.backup("\(path) exists already. Choose another name.")
        }
        let draft = "\(path).\(UUID().uuidString)"
        do {
            let file = try BackupWriter(path: draft)
            try file.write(["happinessMetricBackup": .int(format)])
            try database.snapshot { snapshot in
                for description in try descriptions(in: database) {
                    try file.write(description)
                    try database.collection(try description.text("collection"))
                        .forEach([:], sort: ["_id": 1], in: snapshot) { document in
                            try file.write(["document": .document(document)])
                            return true
                        }
                }
            }
            try file.finish()
            guard rename(draft, path) == 0 else { throw MongoStorageError.backup("\(path) cannot be written.") }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// For each collection its name, options and indexes.
    private static func descriptions(in database: MongoDatabase) throws -> [BSONDocument] {
        try database.collectionNames().filter { !left.contains($0) && !$0.hasPrefix("system.") }.sorted().map { name in
            let collections = try database.command(["listCollections": 1, "filter": ["name": .string(name)]])
            let options = try firstBatch(collections).first?["options"]?.documentValue ?? [:]
            let indexes = try firstBatch(database.command(["listIndexes": .string(name)])).map(BSONValue.document)
            return ["collection": .string(name), "options": .document(options), "indexes": .array(indexes)]
        }
    }

    private static func firstBatch(_ reply: BSONDocument) throws -> [BSONDocument] {
        try reply.document("cursor")["firstBatch"]?.arrayValue?.compactMap(\.documentValue) ?? []
    }

    // MARK: - Restoring

    /// Puts a backup in the place of everything that is in the database. Should it be interrupted, the programs refuse to
    /// start until it is repeated.
    /// - Throws: `MongoStorageError.backup` for a file that is none or is damaged, or if a process lives; then nothing has
    ///   changed.
    static func restore(_ path: String, to database: MongoDatabase) throws {
        try BackupReader.verify(path, format: format)
        let living = try livingProcesses(in: database)
        guard living == 0 else {
            throw MongoStorageError.backup(
                "The store is in use. Stop every API and worker before restoring, and wait for a minute.")
        }
        let migrations = MongoCollectionName.migrations.rawValue
        try database.collection(migrations).updateOne(
            ["_id": .string(unfinished)], ["$set": ["began": true]], upsert: true)
        for name in try database.collectionNames() where name != migrations && !name.hasPrefix("system.") {
            try database.collection(name).drop()
        }
        try database.collection(migrations).deleteMany(["_id": ["$ne": .string(unfinished)]])
        var target: MongoCollection?
        var waiting: [BSONDocument] = []
        func insertWaiting() throws {
            try target?.insertMany(waiting)
            waiting = []
        }
        try BackupReader.forEach(path) { record in
            if let name = record["collection"]?.stringValue {
                try insertWaiting()
                try create(name, as: record, in: database)
                target = database.collection(name)
            } else if let document = record["document"]?.documentValue {
                waiting.append(document)
                if waiting.count >= batchSize { try insertWaiting() }
            }
        }
        try insertWaiting()
        try database.collection(migrations).deleteOne(["_id": .string(unfinished)])
    }

    /// Makes a collection with its indexes; `migrations` is there.
    private static func create(_ name: String, as description: BSONDocument, in database: MongoDatabase) throws {
        guard name != MongoCollectionName.migrations.rawValue else { return }
        var options: BSONDocument = [:]
        for (key, value) in try description.document("options") where key != "uuid" { options.append(key, value) }
        try database.createCollection(name, options: options)
        let indexes = try description.list("indexes") { $0.documentValue }.compactMap { index -> BSONValue? in
            // The one of `_id` comes with the collection.
            guard let key = index["key"], index["name"]?.stringValue != "_id_", index["clustered"] == nil else {
                return nil
            }
            var kept: BSONDocument = ["key": key]
            for (field, value) in index where !["v", "key", "ns"].contains(field) { kept.append(field, value) }
            return .document(kept)
        }
        guard !indexes.isEmpty else { return }
        _ = try database.command(["createIndexes": .string(name), "indexes": .array(indexes)])
    }

    private static func livingProcesses(in database: MongoDatabase) throws -> Int {
        // By the server's clock, which all of them agree with.
        let now = try database.hello()["localTime"]?.dateValue ?? Date()
        let since = now.addingTimeInterval(-ProcessRecord.lifetime)
        return try database.collection(.processes).count(["seen": ["$gte": .date(since)]])
    }
}

/// Writes documents one after the other, and a hash of them at the end.
private final class BackupWriter {
    private static let bufferSize = 1 << 20

    private let handle: FileHandle
    private var hash = SHA256()
    private var buffer: [UInt8] = []

    init(path: String) throws {
        let isMade = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade, let handle = FileHandle(forWritingAtPath: path) else {
            throw MongoStorageError.backup("\(path) cannot be written.")
        }
        self.handle = handle
    }

    func write(_ document: BSONDocument) throws {
        buffer += document.bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Writes the end, and waits until all is on the disk.
    func finish() throws {
        try flush()
        let digest = Array(hash.finalize())
        try handle.write(contentsOf: BSONDocument.end(digest).bytes)
        try handle.synchronize()
        try handle.close()
    }

    private func flush() throws {
        hash.update(data: buffer)
        try handle.write(contentsOf: buffer)
        buffer = []
    }
}

/// Reads what `BackupWriter` wrote.
private enum BackupReader {
    /// Bytes. MongoDB's documents have 16 MiB at most, and here one more around them.
    private static let longest = 17 << 20

    /// - Throws: `MongoStorageError.backup` unless the file is whole and of this format.
    static func verify(_ path: String, format: Int) throws {
        var hash = SHA256()
        var number = 0
        var isWhole = false
        try forEach(path) { document in
            defer { number += 1 }
            if number == 0, document["happinessMetricBackup"]?.intValue != format {
                throw MongoStorageError.backup("\(path) is no backup of this program.")
            }
            if let digest = document["sha256"]?.binaryValue {
                isWhole = digest == Array(hash.finalize())
            } else {
                isWhole = false
                hash.update(data: document.bytes)
            }
        }
        guard isWhole else { throw MongoStorageError.backup("The backup is damaged or incomplete: \(path)") }
    }

    static func forEach(_ path: String, _ body: (BSONDocument) throws -> Void) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw MongoStorageError.backup("There is no \(path).")
        }
        defer { try? handle.close() }
        while let head = try handle.read(upToCount: 4), !head.isEmpty {
            let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
            guard head.count == 4, (5...longest).contains(length),
                let rest = try handle.read(upToCount: length - 4), rest.count == length - 4
            else { throw MongoStorageError.backup("The backup is damaged or incomplete: \(path)") }
            let document: BSONDocument
            do {
                document = try BSONDocument(bytes: Array(head + rest))
            } catch {
                throw MongoStorageError.backup("The backup is damaged or incomplete: \(path)")
            }
            try body(document)
        }
    }
}

extension BSONDocument {
    /// The last document of a backup.
    fileprivate static func end(_ digest: [UInt8]) -> BSONDocument { ["sha256": .binary(digest)] }
}
