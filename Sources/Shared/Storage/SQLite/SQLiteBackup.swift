import Foundation
import GRDB
import Glibc

/// Backs up the SQLite file while processes run, and restores it when none does.
enum SQLiteBackup {
    /// Writes a copy of the store. `VACUUM INTO` rewrites every table in key order. A page-by-page copy would keep
    /// the order in which texts and sessions were written (https://www.sqlite.org/lang_vacuum.html).
    /// - Throws: `SQLiteStorageError` if the file already exists or there is not enough space; then nothing is left
    ///   behind.
    static func make(of pool: DatabasePool, at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw SQLiteStorageError("\(path) exists already. Choose another name.")
        }
        try write(to: path) { draft in try pool.vacuum(into: draft) }
    }

    /// Replaces the store with a backup and keeps the old files under other names.
    /// - Returns: the path of the previous store; `nil` if there was none.
    /// - Throws: `SQLiteStorageError` if a process has the store open or the backup is invalid; then nothing has
    ///   changed.
    static func restore(_ backup: String, to path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: backup) else {
            throw SQLiteStorageError("There is no \(backup).")
        }
        // On a new machine there is no data folder yet.
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let lock = try FileLock(path: path)
        defer { lock?.release() }
        // Includes any part of the backup in a write-ahead log next to it.
        let draft = path + ".restoring"
        try? FileManager.default.removeItem(atPath: draft)
        try write(to: draft) { draft in
            var configuration = Configuration()
            configuration.readonly = true
            let source = try DatabaseQueue(path: backup, configuration: configuration)
            try source.read(requireBackup)
            try source.vacuum(into: draft)
        }
        let kept = try keep(path)
        for suffix in ["-wal", "-shm"] { try removeIfPresent(path + suffix) }
        try rename(draft, to: path)
        return kept
    }

    /// See `StoreLocation.verify`. The scratch store is beside the backup.
    static func verify(_ backup: String) async throws -> Int {
        let path = "\(backup).\(UUID().uuidString)"
        defer { for suffix in ["", "-wal", "-shm"] { try? removeIfPresent(path + suffix) } }
        _ = try restore(backup, to: path)
        // Before `migrate`, which may add rows to a backup of an earlier version.
        let records = (try numberOfRows(in: backup), try numberOfRows(in: path))
        let stores = try SQLiteStorage.open(path: path)
        let result: Result<Void, any Error>
        do {
            _ = try await stores.system.migrate()
            result = .success(try await stores.system.requireSound())
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        try result.get()
        guard records.0 == records.1 else {
            throw SQLiteStorageError("The backup has \(records.0) records, and its restored copy \(records.1).")
        }
        return records.0
    }

    private static func numberOfRows(in path: String) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            return try tables.reduce(0) { sum, table in
                sum + (try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)") ?? 0)
            }
        }
    }

    /// - Throws: `SQLiteStorageError` for a file that is not one of our stores, has a newer version or is damaged.
    private static func requireBackup(_ db: Database) throws {
        do {
            try db.requireIntactPages()
            guard try db.tableExists("happiness"), try db.tableExists("grdb_migrations") else {
                throw SQLiteStorageError("The file is no backup of this program.")
            }
        } catch is DatabaseError {
            throw SQLiteStorageError("The file is no backup of this program, or damaged.")
        } catch is DamagedStore {
            throw SQLiteStorageError("The backup is damaged.")
        }
        guard try !SQLiteMigrations.migrator.hasBeenSuperseded(db) else { throw SQLiteMigrations.newerVersion }
    }

    /// Writes to a temporary name and renames the file once all of it is on disk.
    private static func write(to path: String, _ body: (_ draft: String) throws -> Void) throws {
        let draft = "\(path).\(UUID().uuidString)"
        do {
            // Readable by the owner only. SQLite accepts an empty file.
            guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw SQLiteStorageError("\(path) cannot be written: \(String(cString: strerror(errno)))") }
            do {
                try body(draft)
            } catch let error as DatabaseError {
                throw SQLiteStorageError("\(path) cannot be written: \(error.resultCode)")
            }
            try sync(draft)
            try rename(draft, to: path)
        } catch {
            try removeIfPresent(draft)
            throw error
        }
    }

    /// Keeps a store's files under a name with the time. Uses links, so that the store stays in place until the backup
    /// replaces it.
    private static func keep(_ path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let time = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let kept = "\(path).before-\(time)"
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.linkItem(atPath: path + suffix, toPath: kept + suffix)
        }
        return kept
    }

    private static func rename(_ old: String, to new: String) throws {
        guard Glibc.rename(old, new) == 0 else {
            throw SQLiteStorageError("\(new) cannot be written: \(String(cString: strerror(errno)))")
        }
        try sync(URL(fileURLWithPath: new).deletingLastPathComponent().path)
    }

    /// Waits until a file, or a folder's entries, are on disk.
    private static func sync(_ path: String) throws {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteStorageError("\(path): \(String(cString: strerror(errno)))") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SQLiteStorageError("\(path): \(String(cString: strerror(errno)))") }
    }

    private static func removeIfPresent(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SQLiteStorageError("\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }
}

/// Prevents other processes from opening a SQLite file, unless one already has it open.
///
/// In write-ahead mode every open connection holds a shared lock on 510 bytes after the first GiB
/// (https://www.sqlite.org/fileformat2.html#the_lock_byte_page, https://www.sqlite.org/lockingv3.html).
private struct FileLock {
    private static let sharedBytes: (first: off_t, count: off_t) = (0x4000_0002, 510)

    private let descriptor: Int32

    /// `nil` if the file does not exist.
    /// - Throws: `SQLiteStorageError` if a process has it open.
    init?(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SQLiteStorageError("\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.sharedBytes.first
        lock.l_len = Self.sharedBytes.count
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
            Glibc.close(descriptor)
            throw SQLiteStorageError(
                "The store is in use. Stop the API and the worker (and every other command) before restoring.")
        }
    }

    func release() {
        Glibc.close(descriptor)
    }
}
