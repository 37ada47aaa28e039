package import Domain
import Foundation

/// The store and its location, as given by `DATABASE_URL`.
package enum StoreLocation: Sendable, Equatable {
    /// A file on a local disk, for one API process and one worker.
    case sqlite(path: String)
    /// A replica set, for any number of processes.
    case mongodb(uri: String)

    /// Whether missing secrets are generated in the data folder: there is one process of each kind, on one machine.
    package var generatesSecrets: Bool {
        switch self {
        case .sqlite: true
        case .mongodb: false
        }
    }

    /// Whether there may be several API processes.
    package var allowsSeveralProcesses: Bool {
        switch self {
        case .sqlite: false
        case .mongodb: true
        }
    }

    /// As in `DATABASE_URL`; with MongoDB it may contain a password.
    package var setting: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .mongodb(let uri): uri
        }
    }

    /// Parses `sqlite:PATH` or `mongodb://…` and `mongodb+srv://…`.
    /// - Throws: `SettingsError`; the text may contain a password and is not repeated.
    package init(_ text: String) throws(SettingsError) {
        if text.hasPrefix("sqlite:"), text.count > "sqlite:".count {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else if text.hasPrefix("mongodb://") || text.hasPrefix("mongodb+srv://") {
            self = .mongodb(uri: text)
        } else {
            throw SettingsError(
                key: "DATABASE_URL", expectation: "sqlite:PATH or mongodb://HOST/DATABASE?replicaSet=NAME")
        }
    }

    /// Opens the store; then call `Stores.system.migrate` to update its schema.
    /// - Throws: an error with an operator's message.
    package func open() throws -> Stores {
        switch self {
        case .sqlite(let path): try SQLiteStorage.open(path: path)
        case .mongodb(let uri): try MongoStorage.open(uri: uri)
        }
    }

    /// Reads a backup, and compares it with the checksum in it. Opens no store.
    /// - Returns: whether it has one. Backups of SQLite by version 0.1.0 have none.
    /// - Throws: an error with an operator's message if the backup is damaged.
    package func verifyChecksum(of backup: String) throws -> Bool {
        switch self {
        case .sqlite:
            return try BackupChecksum.verify(backup)
        case .mongodb:
            try MongoBackup.verifyChecksum(of: backup)
            return true
        }
    }

    /// Replaces the store with a backup from `SystemStore.backUp`, while no process uses it.
    /// - Parameters:
    ///   - keepsFingerprints: false forgets which secrets the backup was made with, so that others can take their place.
    ///   - check: gets what the backup says before anything is changed, and may throw.
    ///   - complete: gets the restored and migrated store before any program can use it.
    /// - Returns: where the previous store is kept, if it is.
    /// - Throws: what `check` and `complete` throw, or an error with an operator's message. Then nothing has changed, or
    ///   the programs do not start until the restore is repeated.
    package func restore(
        _ backup: String, keepsFingerprints: Bool = true,
        check: @escaping @Sendable (BackupContent) throws -> Void = { _ in },
        complete: (@Sendable (Stores) async throws -> Void)? = nil
    ) async throws -> String? {
        switch self {
        case .sqlite(let path):
            return try await SQLiteBackup.restore(
                backup, to: path, keepsFingerprints: keepsFingerprints, check: check, complete: complete)
        case .mongodb(let uri):
            let connection = try MongoStorage.openForRestore(uri: uri)
            defer { Thread { connection.close() }.start() }
            try await connection.run {
                try MongoBackup.restore(backup, to: $0, keepsFingerprints: keepsFingerprints, check: check)
            }
            if let complete { try await MongoStorage.open(uri: uri, isRestoring: true).complete(complete) }
            try await connection.run { try MongoBackup.finish($0) }
            return nil
        }
    }

    /// Reads what a restore takes over from the store that it replaces, and changes nothing.
    /// - Returns: `nil` if there is no store, or none that can be read, or one of a version without deletions, or one
    ///   whose restore has not finished.
    /// - Throws: an error with an operator's message.
    package func present() async throws -> PresentStore? {
        switch self {
        case .sqlite(let path): return try SQLiteBackup.present(at: path)
        case .mongodb(let uri):
            let connection = try MongoStorage.openForMigration(uri: uri)
            defer { Thread { connection.close() }.start() }
            return try await connection.run { try MongoBackup.present(in: $0) }
        }
    }

    /// Whether a restore has begun to change the store, and has not finished.
    /// - Throws: an error with an operator's message.
    package func isRestoreUnfinished() async throws -> Bool {
        switch self {
        case .sqlite(let path): return SQLiteBackup.isRestoreUnfinished(of: path)
        case .mongodb(let uri):
            let connection = try MongoStorage.openForMigration(uri: uri)
            defer { Thread { connection.close() }.start() }
            return try await connection.run { try MongoBackup.isUnfinished($0) }
        }
    }

    /// Where a copy for trying something is kept: a file in the folder, or a database beside this one.
    package func trial(dataDirectory: String) -> StoreLocation {
        switch self {
        case .sqlite: .sqlite(path: "\(dataDirectory)/happiness.sqlite")
        case .mongodb(let uri): .mongodb(uri: MongoStorage.uri(uri, databaseSuffix: "_trial"))
        }
    }

    /// Restores a backup into a scratch store, and checks that like a program that starts. Removes it in any case.
    /// - Parameter folder: for the scratch store of SQLite.
    /// - Returns: the number of records, which is the same in both.
    /// - Throws: an error with an operator's message if the backup cannot be restored, or would lose records.
    package func verify(_ backup: String, in folder: String) async throws -> Int {
        switch self {
        case .sqlite: try await SQLiteBackup.verify(backup, in: folder)
        case .mongodb(let uri): try await MongoBackup.verify(backup, uri: uri)
        }
    }

    /// What a restore writes before it replaces the store; `nil` if it writes no file. It stays if a restore is killed,
    /// until the store is opened or restored again.
    package var restoreDraft: String? {
        switch self {
        case .sqlite(let path): SQLiteBackup.draft(of: path)
        case .mongodb: nil
        }
    }

    /// Whether this process would create the file of the store: it does not exist, or is empty, and no restore of it was
    /// interrupted. False for MongoDB: only `SystemStore.exists` can answer there.
    package var isNew: Bool {
        switch self {
        case .sqlite(let path):
            guard !SQLiteBackup.isRestoreUnfinished(of: path) else { return false }
            guard FileManager.default.fileExists(atPath: path) else { return true }
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.size] as? NSNumber)?.intValue == 0
        case .mongodb: return false
        }
    }

    /// The absolute path, or the URI without login and options: for people, and without a secret.
    package var shown: String {
        switch self {
        case .sqlite(let path): return URL(filePath: path).standardizedFileURL.path
        case .mongodb(let uri):
            let parts = /(mongodb(?:\+srv)?:\/\/)(?:[^\/?@]*@)?([^\/?@]*)(\/[^?@]*)?(?:\?.*)?/
            guard let match = uri.wholeMatch(of: parts) else { return "MongoDB" }
            return "\(match.1)\(match.2)\(match.3 ?? "")"
        }
    }
}

extension Stores {
    /// Migrates a restored store, lets `body` change it, and closes it, whatever happens.
    /// - Throws: what `body` throws; `StorageError`.
    func complete(_ body: @Sendable (Stores) async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            _ = try await system.migrate()
            result = .success(try await body(self))
        } catch {
            result = .failure(error)
        }
        try await system.close()
        try result.get()
    }
}
