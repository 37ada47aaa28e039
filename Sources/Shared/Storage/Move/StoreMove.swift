import Foundation
import GRDB
import Mongo

/// The records of one kind that were moved. Both stores have been read, and have the same.
package struct MovedCount: Sendable, Equatable {
    /// The kind's name, for an operator.
    package let kind: String
    /// How many there are.
    package let records: Int
    /// The beginning of a checksum of their content, in hexadecimal digits.
    package let checksum: String
}

extension StoreLocation {
    /// Copies everything from this store to an empty one of the other kind, and compares both. The source must have the
    /// schema of this program, and stays as it is.
    ///
    /// Records are copied in the order of their keys, never in that in which they were stored. Until all of them are
    /// there and equal, programs refuse to start on a database of MongoDB, and a file of SQLite has another name.
    /// - Parameters:
    ///   - target: MongoDB for a source of SQLite, and the other way round.
    ///   - folder: for the draft of a file of SQLite.
    /// - Throws: an error with an operator's message, also if a program uses the source, if the target is not empty, or
    ///   if the copy differs. A repeated move removes what an interrupted one left.
    package func move(to target: StoreLocation, folder: String) async throws -> [MovedCount] {
        switch (self, target) {
        case (.sqlite(let path), .mongodb(let uri)):
            let connection = try StoreMove.connection(toTarget: uri)
            defer { Thread { connection.close() }.start() }
            return try await connection.run { try StoreMove.move(fromFile: path, to: $0) }
        case (.mongodb(let uri), .sqlite(let path)):
            let connection = try MongoStorage.openForMigration(uri: uri)
            defer { Thread { connection.close() }.start() }
            let (draft, counts) = try await connection.run {
                try StoreMove.draft(of: $0, for: path, in: folder)
            }
            _ = try await SQLiteBackup.restore(draft, to: path)
            return counts
        case (.sqlite, .sqlite), (.mongodb, .mongodb):
            throw StoreMove.sameKind
        }
    }

    /// Rejects what `move` would reject of the target, and changes nothing.
    /// - Throws: as `move`.
    package func requireMove(to target: StoreLocation) async throws {
        switch (self, target) {
        case (.mongodb, .sqlite(let path)):
            try StoreMove.requireNoFile(at: path)
        case (.sqlite, .mongodb(let uri)):
            let connection = try StoreMove.connection(toTarget: uri)
            defer { Thread { connection.close() }.start() }
            try await connection.run { _ = try StoreMove.leftovers(in: $0) }
        case (.sqlite, .sqlite), (.mongodb, .mongodb):
            throw StoreMove.sameKind
        }
    }
}

/// Copies a store of one kind to one of the other.
enum StoreMove {
    /// Documents per insert: mostly some hundred bytes each.
    private static let batchSize = 200
    private static let unfinished = BSONValue.string(MongoBackup.unfinished)

    static let sameKind = SQLiteStorageError(
        "Both stores are of the same kind. To copy one to another place, use HappinessAPI backup and restore.")

    /// - Throws: `MongoStorageError` that does not name `DATABASE_URL`.
    static func connection(toTarget uri: String) throws -> MongoConnection {
        do {
            return try MongoStorage.openForMigration(uri: uri)
        } catch MongoStorageError.unusableURI(let reason) {
            throw MongoStorageError.backup("The address of the target cannot be used: \(reason)")
        }
    }

    // MARK: - To MongoDB

    static func move(fromFile path: String, to database: MongoDatabase) throws -> [MovedCount] {
        try SQLiteFault.explaining(path: path) {
            let queue = try openExclusively(path)
            let counts: Result<[MovedCount], any Error>
            do {
                counts = .success(
                    try queue.read { db in
                        guard try SQLiteMigrations.migrator.hasCompletedMigrations(db) else {
                            throw SQLiteStorageError("The store lacks migrations of this version: HappinessAPI migrate")
                        }
                        return try fill(database, from: db)
                    })
            } catch {
                counts = .failure(error)
            }
            try queue.close()
            return try counts.get()
        }
    }

    private static func fill(_ database: MongoDatabase, from db: Database) throws -> [MovedCount] {
        let migrations = database.collection(.migrations)
        let leftovers = try Self.leftovers(in: database)
        try migrations.updateOne(["_id": unfinished], ["$set": ["began": true, "move": true]], upsert: true)
        for name in leftovers where name != migrations.name { try database.collection(name).drop() }
        try migrations.deleteMany(["_id": ["$ne": unfinished]])
        for migration in MongoSchema.all {
            try migration.apply(database)
            try migrations.insertOne(["_id": .string(migration.name)])
        }
        try MongoSchema.requireClustered(MongoSchema.clustered, in: database)
        var counts: [MovedCount] = []
        for kind in MovedKind.all {
            let collection = database.collection(kind.collection)
            // Migrations have added some, such as the slots of revocations.
            try collection.deleteMany(kind.filter)
            var source = MovedSum()
            var waiting: [BSONDocument] = []
            try kind.forEach(in: db) { record in
                source.add(record)
                waiting.append(try kind.document(record))
                guard waiting.count >= batchSize else { return }
                try collection.insertMany(waiting)
                waiting = []
            }
            try collection.insertMany(waiting)
            counts.append(try count(kind, source, try sum(of: kind, in: database)))
        }
        try migrations.deleteOne(["_id": unfinished])
        return counts
    }

    /// What an interrupted move has left.
    /// - Returns: the names of its collections; none if the database is empty.
    /// - Throws: `MongoStorageError` for any other database that is not empty.
    static func leftovers(in database: MongoDatabase) throws -> [String] {
        guard try database.supportsTransactions() else { throw MongoStorageError.standaloneServer }
        let names = try database.collectionNames().filter { !$0.hasPrefix("system.") }
        guard !names.isEmpty else { return [] }
        let mark: BSONDocument = ["_id": unfinished, "move": true]
        guard try database.collection(.migrations).findOne(mark) != nil else {
            throw MongoStorageError.backup(
                "The database \(database.name) is not empty. Name one that does not exist yet, or drop this one.")
        }
        return names
    }

    // MARK: - To SQLite

    /// Copies to a file that is put in place afterwards.
    /// - Returns: the file's path, and what it has.
    static func draft(
        of database: MongoDatabase, for path: String, in folder: String
    ) throws -> (path: String, counts: [MovedCount]) {
        try requireNoFile(at: path)
        try requireUnused(database)
        let draft = "\(folder)/\(UUID().uuidString)"
        var configuration = Configuration()
        // All are checked at the end.
        configuration.foreignKeysEnabled = false
        let counts = try SQLiteFault.explaining(path: draft) {
            let queue = try DatabaseQueue(path: draft, configuration: configuration)
            try SQLiteMigrations.migrator.migrate(queue)
            let sources = try database.snapshot { snapshot in
                try queue.write { try fill($0, from: database, snapshot) }
            }
            let counts = try queue.read { db in
                try requireReferences(db)
                return try zip(MovedKind.all, sources).map { kind, source in
                    var target = MovedSum()
                    try kind.forEach(in: db) { target.add($0) }
                    return try count(kind, source, target)
                }
            }
            try queue.close()
            return counts
        }
        // Otherwise the copy may lack what has been changed since.
        try requireUnused(database)
        return (draft, counts)
    }

    private static func fill(
        _ db: Database, from database: MongoDatabase, _ snapshot: MongoTransaction
    ) throws -> [MovedSum] {
        try MovedKind.all.map { kind in
            try kind.deleteAll(in: db)
            var source = MovedSum()
            try kind.forEach(in: database, snapshot: snapshot) { record in
                source.add(record)
                try kind.insert(record, in: db)
            }
            return source
        }
    }

    /// - Throws: `SQLiteStorageError` if there is a file, even an empty one, that no interrupted move has left.
    static func requireNoFile(at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) || SQLiteBackup.isFirstStoreUnfinished(at: path) else {
            throw SQLiteStorageError("There is a file at \(path) already. Name one that does not exist yet.")
        }
    }

    /// MongoDB does not check that what a document refers to exists.
    /// - Throws: `SQLiteStorageError` that names the tables.
    private static func requireReferences(_ db: Database) throws {
        let broken = try db.rows("PRAGMA foreign_key_check") { $0.value(as: String.self) }
        guard !broken.isEmpty else { return }
        let tables = Set(broken).sorted().joined(separator: ", ")
        throw SQLiteStorageError(
            "\(broken.count) records refer to others that do not exist (\(tables)). SQLite cannot store them. If a team "
                + "or account was deleted lately, let the worker run until that is done: HappinessAPI jobs list")
    }

    // MARK: - Both

    private static func sum(of kind: MovedKind, in database: MongoDatabase) throws -> MovedSum {
        var sum = MovedSum()
        try kind.forEach(in: database) { sum.add($0) }
        return sum
    }

    /// - Throws: `SQLiteStorageError` if the copy differs.
    private static func count(_ kind: MovedKind, _ source: MovedSum, _ target: MovedSum) throws -> MovedCount {
        guard source == target else {
            throw SQLiteStorageError(
                "The copy of \(kind.name) differs: \(source.records) records became \(target.records), or some changed. "
                    + "The old store is as it was; continue with it, and report this.")
        }
        return MovedCount(kind: kind.name, records: source.records, checksum: source.checksum)
    }

    /// Prevents other processes from opening the file until the queue is closed. In this mode a connection takes the
    /// whole file (https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory).
    /// - Throws: `SQLiteStorageError` if a process has it open.
    private static func openExclusively(_ path: String) throws -> DatabaseQueue {
        try SQLiteBackup.requireNoUnfinishedRestore(of: path)
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw SQLiteStorageError(
                "The store is in use. Stop the API and the worker (and every other command) before moving it.")
        }
    }

    private static func requireUnused(_ database: MongoDatabase) throws {
        guard try MongoBackup.livingProcesses(in: database) == 0 else {
            throw MongoStorageError.backup(
                "The store is in use. Stop every API and worker before moving it, and wait for a minute.")
        }
    }
}
