import Crypto
import Domain
import Foundation
import Mongo

/// Backs up the database to a file of our own format while processes run, and restores it when none does.
///
/// `mongodump` does not fit: it reads one collection after the other, so that receipts and ballots of a running sprint
/// would not match, unless it includes the oplog, which contains the order and the second of each ballot. Here all
/// collections are read as of one moment, ordered by id.
///
/// The file is a sequence of BSON documents: a head; for each collection its options and indexes and its documents; and
/// an end with the SHA-256 of everything before it.
enum MongoBackup {
    /// The format version in the head.
    private static let format = 1
    /// Excluded collections: heartbeats belong to processes, not to the data.
    private static let left: Set<String> = [MongoCollectionName.processes.rawValue]
    /// Documents per insert: at most 16 MiB each, mostly some hundred bytes.
    private static let batchSize = 200

    /// The name under `migrations` that marks a restore that has started but not finished.
    static let unfinished = "restore-under-way"

    // MARK: - Making

    /// Writes a copy of the database.
    /// - Throws: `MongoStorageError.backup` if the file already exists or there is not enough space; then nothing is
    ///   left behind.
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

    /// Name, options and indexes of each collection. A backup has no views: the start after a restore creates ours.
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

    /// - Throws: `MongoStorageError.backup` unless the file is a complete backup and undamaged.
    static func verifyChecksum(of path: String) throws {
        try BackupReader.verify(path, format: format)
    }

    /// Replaces the content of the database with a backup. The programs do not start until `finish` is called: if a
    /// restore is interrupted, it must be repeated.
    /// - Parameters: see `StoreLocation.restore`.
    /// - Throws: what `check` throws, or `MongoStorageError.backup` if the file is not a backup or is damaged, or if a
    ///   process is running; then nothing has changed.
    static func restore(
        _ path: String, to database: MongoDatabase, keepsFingerprints: Bool = true,
        check: (BackupContent) throws -> Void = { _ in }
    ) throws {
        try BackupReader.verify(path, format: format)
        let living = try livingProcesses(in: database)
        guard living == 0 else {
            throw MongoStorageError.backup(
                "The store is in use. Stop every API and worker before restoring, and wait for a minute.")
        }
        try check(try content(of: path))
        let isRepeated = try isUnfinished(database)
        let migrations = MongoCollectionName.migrations.rawValue
        try database.collection(migrations).updateOne(
            ["_id": .string(unfinished)], ["$set": ["began": true]], upsert: true)
        if isRepeated {
            // The interrupted restore may have left a transaction, and dropping a collection waits for its locks. One of a
            // process that lives, such as another installation's on this server, is never idle for so long.
            Thread.sleep(forTimeInterval: 0.6)
            try database.endAbandonedTransactions()
        }
        for name in try database.collectionNames() where name != migrations && !name.hasPrefix("system.") {
            try database.collection(name).drop()
        }
        try database.collection(migrations).deleteMany(["_id": ["$ne": .string(unfinished)]])
        let forgotten = keepsFingerprints ? nil : MongoCollectionName.fingerprints.rawValue
        var name = ""
        var target: MongoCollection?
        var waiting: [BSONDocument] = []
        func insertWaiting() throws {
            try target?.insertMany(waiting)
            waiting = []
        }
        try BackupReader.forEach(path) { record in
            if let next = record["collection"]?.stringValue {
                try insertWaiting()
                name = next
                try create(name, as: record, in: database)
                target = database.collection(name)
            } else if name != forgotten, let document = record["document"]?.documentValue {
                waiting.append(document)
                if waiting.count >= batchSize { try insertWaiting() }
            }
        }
        try insertWaiting()
    }

    /// Whether a restore, or a move, has begun to change the database, and has not finished.
    static func isUnfinished(_ database: MongoDatabase) throws -> Bool {
        try database.collection(.migrations).findOne(["_id": .string(unfinished)]) != nil
    }

    /// Lets the programs use a restored database.
    static func finish(_ database: MongoDatabase) throws {
        try database.collection(.migrations).deleteOne(["_id": .string(unfinished)])
    }

    private static func content(of path: String) throws -> BackupContent {
        var fingerprints: [String: [UInt8]] = [:]
        var deletions: [Deletion]?
        var lastJob: Date?
        var name: String?
        try BackupReader.forEach(path) { record in
            if let next = record["collection"]?.stringValue {
                name = next
                if next == MongoCollectionName.deletions.rawValue { deletions = [] }
            }
            guard let document = record["document"]?.documentValue else { return }
            switch name {
            case MongoCollectionName.fingerprints.rawValue:
                fingerprints[try document.text("_id")] = try document.bytes("fingerprint")
            case MongoCollectionName.deletions.rawValue:
                deletions?.append(try Deletion(document))
            case MongoCollectionName.jobs.rawValue:
                guard ["done", "leased"].contains(document["state"]?.stringValue) else { return }
                let due = try document.date("runAt")
                lastJob = max(due, lastJob ?? due)
            default: break
            }
        }
        return BackupContent(fingerprints: fingerprints, deletions: deletions, lastJob: lastJob)
    }

    /// What a restore takes over from the database that it replaces.
    /// - Returns: `nil` if there is none, or one of a version without deletions, or if a restore has not finished.
    static func present(in database: MongoDatabase) throws -> PresentStore? {
        guard try database.collectionNames().contains(MongoCollectionName.deletions.rawValue),
            try !isUnfinished(database)
        else { return nil }
        var fingerprints: [String: [UInt8]] = [:]
        for document in try database.collection(.fingerprints).find([:]) {
            fingerprints[try document.text("_id")] = try document.bytes("fingerprint")
        }
        return PresentStore(
            fingerprints: fingerprints,
            deletions: try database.collection(.deletions).find([:]).map { try Deletion($0) },
            hasUsers: try database.collection(.users).findOne([:], projection: ["_id": 1]) != nil)
    }

    /// See `StoreLocation.verify`. The scratch store is another database on the same server.
    static func verify(_ path: String, uri: String) async throws -> Int {
        let uri = MongoStorage.uri(uri, databaseSuffix: "_verify")
        let scratch = try MongoStorage.openForMigration(uri: uri)
        defer { Thread { scratch.close() }.start() }
        // One may have been left by a process that was killed.
        try await scratch.run { try $0.drop() }
        let result: Result<Int, any Error>
        do {
            try await scratch.run { database in
                try restore(path, to: database)
                try finish(database)
            }
            let stored = try await scratch.run { database in
                try database.collectionNames().filter { !$0.hasPrefix("system.") }
                    .reduce(0) { $0 + (try database.collection($1).count([:])) }
            }
            let stores = try MongoStorage.open(uri: uri)
            do {
                _ = try await stores.system.migrate()
                try await stores.system.requireSound()
            } catch {
                try await stores.system.close()
                throw error
            }
            try await stores.system.close()
            let written = try BackupReader.numberOfDocuments(in: path)
            guard written == stored else {
                throw MongoStorageError.backup("The backup has \(written) records, and its restored copy \(stored).")
            }
            result = .success(stored)
        } catch {
            result = .failure(error)
        }
        try await scratch.run { try $0.drop() }
        return try result.get()
    }

    /// Creates a collection with its indexes; `migrations` already exists.
    private static func create(_ name: String, as description: BSONDocument, in database: MongoDatabase) throws {
        guard name != MongoCollectionName.migrations.rawValue else { return }
        var options: BSONDocument = [:]
        for (key, value) in try description.document("options") where key != "uuid" { options.append(key, value) }
        try database.createCollection(name, options: options)
        let indexes = try description.list("indexes") { $0.documentValue }.compactMap { index -> BSONValue? in
            // The index on `_id` is created with the collection.
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

    /// The processes whose latest heartbeat is recent.
    static func livingProcesses(in database: MongoDatabase) throws -> Int {
        // By the server's clock, which is the same for all processes.
        let now = try database.hello()["localTime"]?.dateValue ?? Date()
        let since = now.addingTimeInterval(-ProcessRecord.lifetime)
        return try database.collection(.processes).count(["seen": ["$gte": .date(since)]])
    }
}

/// Writes documents one by one, and finally their hash.
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

    /// Writes the end, and waits until everything is on disk.
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

/// Reads a file of `BackupWriter`.
private enum BackupReader {
    /// Bytes. MongoDB's documents have at most 16 MiB, and the backup wraps each in another.
    private static let longest = 17 << 20

    /// - Throws: `MongoStorageError.backup` unless the file is complete and has this format.
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

    static func numberOfDocuments(in path: String) throws -> Int {
        var count = 0
        try forEach(path) { if $0["document"] != nil { count += 1 } }
        return count
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
