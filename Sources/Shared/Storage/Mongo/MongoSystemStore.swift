import Domain
import Foundation
import Mongo

/// `SystemStore` on MongoDB; `migrations` holds the names of applied migrations.
struct MongoSystemStore: SystemStore {
    let connection: MongoConnection
    /// For the separate connection used while migrating.
    let uri: String
    /// Whether this is the program that restores the database.
    var isRestoring = false

    let kind = "MongoDB"

    /// Number of committers that share the teams; each keeps two connections and one core of the server busy.
    static let committerCount = 4

    let ballotPartitions = committerCount

    func version() async throws -> String {
        try await connection.run { try $0.adminCommand(["buildInfo": 1])["version"]?.stringValue ?? "?" }
    }

    func time() async throws -> Date? {
        try await connection.run { try $0.hello()["localTime"]?.dateValue }
    }

    func newestTime() async throws -> Date? {
        try await connection.run { try $0.collection(.clock).findOne(["_id": "newest"])?.date("time") }
    }

    func recordTime(_ time: Date, after previous: Date?) async throws -> Bool {
        let second = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
        return try await connection.run { database in
            let times = database.collection(.clock)
            guard let previous else {
                do {
                    try times.insertOne(["_id": "newest", "time": .date(second)])
                    return true
                } catch let error as MongoError where error.kind == .duplicateKey {
                    return false
                }
            }
            return try times.updateOne(
                ["_id": "newest", "time": .date(previous)], ["$set": ["time": .date(second)]]
            ).matched == 1
        }
    }

    func exists() async throws -> Bool {
        try await connection.run { try !recordedNames(in: $0).isEmpty }
    }

    func migrate() async throws -> [String] {
        // Prepares the connection for use after the start. If there is no server, the other connection reports it.
        async let _ = connection.warmUp()
        let patient = try MongoStorage.openForMigration(uri: uri)
        // The driver needs half a second to end the thread that monitors the server; startup need not wait for that.
        defer { Thread { patient.close() }.start() }
        return try await patient.run { database in
            let applied = try knownMigrations(in: database)
            var ran: [String] = []
            for migration in MongoSchema.all where !applied.contains(migration.name) {
                try migration.apply(database)
                if try record(migration, in: database) { ran.append(migration.name) }
            }
            try MongoSchema.requireClustered(MongoSchema.clustered, in: database)
            try MongoPublishedView.provide(in: database)
            return ran
        }
    }

    func requireKnownSchema() async throws {
        try await connection.run { database in
            _ = try knownMigrations(in: database)
            try MongoSchema.requireClustered(MongoSchema.clustered, in: database)
        }
    }

    func migrations() async throws -> [(name: String, isApplied: Bool)] {
        try await connection.run { database in
            let applied = try appliedMigrations(in: recordedNames(in: database))
            return MongoSchema.all.map { (name: $0.name, isApplied: applied.contains($0.name)) }
        }
    }

    func check() async throws -> [ReceiptMismatch] {
        try await connection.run { try $0.receiptMismatches() }
    }

    func acceptMismatches() async throws {
        try await connection.run { try $0.matchReceipts() }
    }

    func backUp(to path: String) async throws {
        let patient = try MongoStorage.openForMigration(uri: uri)
        defer { Thread { patient.close() }.start() }
        try await patient.run { try MongoBackup.make(of: $0, at: path) }
    }

    var isWritable: Bool { connection.writability.isGiven }

    func ping() async throws {
        let writability = connection.writability
        do {
            let isProven = try await connection.run { database in
                guard try database.hello()["isWritablePrimary"]?.boolValue ?? false else {
                    throw StorageError.unavailable
                }
                guard !writability.isGiven else { return false }
                try tryWriting(in: database)
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

    /// Stores and deletes a document that nobody sees, and waits for the majority like a cast.
    private func tryWriting(in database: MongoDatabase) throws {
        // Of its own, so that processes that try at once have no conflict.
        let trial: BSONDocument = ["_id": .binary(SecureBytes.random(count: 16))]
        try database.boundedTransaction { transaction in
            let fingerprints = database.collection(.fingerprints)
            try fingerprints.insertOne(trial, in: transaction)
            try fingerprints.deleteOne(trial, in: transaction)
        }
    }

    func fingerprint(named name: String, orStore fingerprint: [UInt8]) async throws -> [UInt8] {
        try await connection.run { database in
            let fingerprints = database.collection(.fingerprints)
            do {
                try fingerprints.insertOne(["_id": .string(name), "fingerprint": .binary(fingerprint)])
                return fingerprint
            } catch let error as MongoError where error.kind == .duplicateKey {
                guard let stored = try fingerprints.findOne(["_id": .string(name)]) else { throw error }
                return try stored.bytes("fingerprint")
            }
        }
    }

    func replaceFingerprint(named name: String, by fingerprint: [UInt8]) async throws {
        // Inserted apart: two upserts of one key at once would fail.
        _ = try await self.fingerprint(named: name, orStore: fingerprint)
        try await connection.run { database in
            _ = try database.collection(.fingerprints).updateOne(
                ["_id": .string(name)], ["$set": ["fingerprint": .binary(fingerprint)]])
        }
    }

    func fingerprints() async throws -> [String: [UInt8]] {
        try await connection.run { database in
            let entries = try database.collection(.fingerprints).find([:]).map { document in
                (try document.text("_id"), try document.bytes("fingerprint"))
            }
            return Dictionary(uniqueKeysWithValues: entries)
        }
    }

    func close() async throws {
        // On a separate thread: closing waits for the client's threads, so it cannot run on one of them.
        await withCheckedContinuation { continuation in
            Thread {
                connection.close()
                continuation.resume()
            }.start()
        }
    }

    /// The applied migrations.
    /// - Throws: `MongoStorageError` if this program must not use the database.
    private func knownMigrations(in database: MongoDatabase) throws -> Set<String> {
        guard try database.supportsTransactions() else { throw MongoStorageError.standaloneServer }
        let recorded = try recordedNames(in: database)
        guard isRestoring || !recorded.contains(MongoBackup.unfinished) else {
            throw MongoStorageError.restoreUnfinished
        }
        let known = MongoSchema.replaced.union(MongoSchema.all.map(\.name)).union([MongoBackup.unfinished])
        if let unknown = recorded.subtracting(known).min() {
            throw MongoStorageError.newerSchema(migration: unknown)
        }
        return try appliedMigrations(in: recorded)
    }

    /// The applied ones among the recorded names, with the baseline in place of those of 0.1.0. A database of 0.1.0
    /// keeps its names: nothing is written, so that no process finds a half of them.
    /// - Throws: `Baseline.Mismatch`.
    private func appliedMigrations(in recorded: Set<String>) throws -> Set<String> {
        try Baseline.recognised(in: recorded.subtracting([MongoBackup.unfinished]), replacing: MongoSchema.replaced)
    }

    /// What `migrations` has: the applied ones, and the mark of a restore that has not finished.
    private func recordedNames(in database: MongoDatabase) throws -> Set<String> {
        Set(try database.collection(.migrations).find([:]).map { try $0.text("_id") })
    }

    /// - Returns: false if another process ran the same migration concurrently and was faster.
    private func record(_ migration: MongoMigration, in database: MongoDatabase) throws -> Bool {
        do {
            try database.collection(.migrations).insertOne(["_id": .string(migration.name)])
            return true
        } catch let error as MongoError where error.kind == .duplicateKey {
            return false
        }
    }
}
