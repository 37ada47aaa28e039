import Foundation
import GRDB
import Glibc

/// Backs up the SQLite file while processes run, and restores it when none does.
enum SQLiteBackup {
    /// Writes a copy of the store, with a checksum. `VACUUM INTO` rewrites every table in key order. A page-by-page copy would keep
    /// the order in which texts and sessions were written (https://www.sqlite.org/lang_vacuum.html).
    /// - Throws: `SQLiteStorageError` if the file already exists or there is not enough space; then nothing is left
    ///   behind.
    static func make(of pool: DatabasePool, at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw SQLiteStorageError("\(path) exists already. Choose another name.")
        }
        try write(to: path) { draft in
            try pool.vacuum(into: draft)
            try BackupChecksum.append(to: draft)
        }
    }

    /// Replaces the store with a backup and keeps the old files under other names.
    ///
    /// No system call replaces a file and removes its write-ahead log at once. So a mark is set before the first change
    /// and removed after the last one. While it is there, nobody opens the store (`requireNoUnfinishedRestore`).
    /// - Parameters: see `StoreLocation.restore`.
    /// - Returns: the path of the previous store; `nil` if there was none.
    /// - Throws: what `check` and `complete` throw, or `SQLiteStorageError` if a process has the store open or the
    ///   backup is invalid; then nothing has changed. An error after that leaves the mark.
    static func restore(
        _ backup: String, to path: String, keepsFingerprints: Bool = true,
        check: @Sendable (BackupContent) throws -> Void = { _ in },
        complete: (@Sendable (Stores) async throws -> Void)? = nil
    ) async throws -> String? {
        guard FileManager.default.fileExists(atPath: backup) else {
            throw SQLiteStorageError("There is no \(backup).")
        }
        _ = try BackupChecksum.verify(backup)
        // On a new machine there is no data folder yet.
        try FileManager.default.createDirectory(
            atPath: folder(of: path), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = try FileLock(path: path)
        defer { lock?.release() }
        let draft = draft(of: path)
        try removeDraft(of: path)
        // Includes any part of the backup in a write-ahead log next to it.
        try create(draft) {
            var configuration = Configuration()
            configuration.readonly = true
            let source = try DatabaseQueue(path: backup, configuration: configuration)
            try check(
                try source.read { db in
                    try requireBackup(db)
                    let deletions = try db.tableExists("deletions") ? db.deletions() : nil
                    let lastJob = try db.first("SELECT max(runAt) FROM jobs WHERE state IN ('done', 'leased')") {
                        $0.optionalInstant()
                    }
                    return BackupContent(
                        fingerprints: try db.fingerprints(), deletions: deletions, lastJob: lastJob ?? nil)
                })
            try source.vacuum(into: draft)
            if !keepsFingerprints { try forgetFingerprints(in: draft) }
        }
        if let complete {
            do {
                try await Self.complete(draft, complete)
            } catch {
                try removeDraft(of: path)
                throw error
            }
        }
        let kept = try setMark(of: path)
        if let kept { try keep(path, as: kept) }
        for suffix in ["-wal", "-journal", "-shm"] { try removeIfPresent(path + suffix) }
        try rename(draft, to: path)
        try removeMark(of: path)
        return kept
    }

    /// Migrates the new store before it has its name, and lets `body` change it.
    private static func complete(_ draft: String, _ body: @Sendable (Stores) async throws -> Void) async throws {
        // Closing moves the write-ahead log into the file.
        try await SQLiteStorage.open(path: draft).complete(body)
        try sync(draft)
    }

    /// What a restore takes over from the store that it replaces. Changes nothing.
    /// - Returns: `nil` if there is no store, or none that can be read, or one of a version without deletions.
    static func present(at path: String) throws -> PresentStore? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes?[.size] as? NSNumber, size.intValue > 0 else { return nil }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let present = try queue.read { db -> PresentStore? in
                guard try db.tableExists("deletions") else { return nil }
                return PresentStore(
                    fingerprints: try db.fingerprints(), deletions: try db.deletions(),
                    hasUsers: try db.contains("SELECT 1 FROM users LIMIT 1", []))
            }
            // Before the restore locks the file: closing it would release that lock.
            try queue.close()
            return present
        } catch is DatabaseError {
            return nil
        }
    }

    /// Whether a restore of the store at `path` has started but not finished.
    static func isRestoreUnfinished(of path: String) -> Bool {
        FileManager.default.fileExists(atPath: mark(of: path))
    }

    /// Whether such a restore found no store at `path`, so that what is there now is only its own.
    static func isFirstStoreUnfinished(at path: String) -> Bool {
        FileManager.default.contents(atPath: mark(of: path))?.isEmpty ?? false
    }

    /// - Throws: `SQLiteStorageError` if a restore of the store at `path` has started but not finished.
    static func requireNoUnfinishedRestore(of path: String) throws {
        guard !isRestoreUnfinished(of: path) else {
            throw SQLiteStorageError(
                """
                A restore of this store began and did not end, so some of its data may be missing. Repeat it: \
                HappinessAPI restore FILE
                """)
        }
    }

    /// Where a restore writes the new store.
    static func draft(of path: String) -> String { path + ".restoring" }

    /// Removes what a killed restore left. Call it while the store is open, since no restore can run then.
    static func removeLeftovers(of path: String) throws {
        try removeDraft(of: path)
    }

    /// With its write-ahead log, which SQLite would apply to the next draft.
    private static func removeDraft(of path: String) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] { try removeIfPresent(draft(of: path) + suffix) }
    }

    private static func mark(of path: String) -> String { path + ".restore-under-way" }

    /// Marks that a restore has begun. The mark contains what is added to the name of the previous store, or nothing if
    /// there was none. So a repeated restore keeps what was there before the first attempt.
    /// - Returns: the path under which the previous store is kept; `nil` if there was none.
    private static func setMark(of path: String) throws -> String? {
        let mark = mark(of: path)
        if !FileManager.default.fileExists(atPath: mark) {
            // With fractions of a second: two restores must not share a name.
            let time = Date().formatted(
                Date.ISO8601FormatStyle(
                    dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true))
            let suffix = FileManager.default.fileExists(atPath: path) ? ".before-\(time)" : ""
            try write(to: mark) { try Data(suffix.utf8).write(to: URL(fileURLWithPath: $0)) }
        }
        let suffix = try String(contentsOfFile: mark, encoding: .utf8)
        return suffix.isEmpty ? nil : path + suffix
    }

    private static func removeMark(of path: String) throws {
        try removeIfPresent(mark(of: path))
        try sync(folder(of: path))
    }

    private static func forgetFingerprints(in draft: String) throws {
        let queue = try DatabaseQueue(path: draft)
        try queue.write { try $0.execute(sql: "DELETE FROM secrets") }
        try queue.close()
    }

    /// See `StoreLocation.verify`.
    static func verify(_ backup: String, in folder: String) async throws -> Int {
        let path = "\(folder)/\(UUID().uuidString)"
        defer { for suffix in ["", "-wal", "-shm"] { try? removeIfPresent(path + suffix) } }
        _ = try await restore(backup, to: path)
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
        try SQLiteMigrations.requireKnown(db)
    }

    /// Writes to a temporary name and renames the file once all of it is on disk.
    private static func write(to path: String, _ body: (_ draft: String) throws -> Void) throws {
        let draft = "\(path).\(UUID().uuidString)"
        try create(draft) { try body(draft) }
        do {
            try rename(draft, to: path)
        } catch {
            try removeIfPresent(draft)
            throw error
        }
    }

    /// Creates a file that `body` writes, and waits until all of it is on disk. Removes it after an error.
    private static func create(_ path: String, _ body: () throws -> Void) throws {
        do {
            // Readable by the owner only. SQLite accepts an empty file.
            guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw SQLiteStorageError("\(path) cannot be written: \(String(cString: strerror(errno)))") }
            do {
                try body()
            } catch let error as DatabaseError {
                throw SQLiteStorageError("\(path) cannot be written: \(error.resultCode)")
            }
            try sync(path)
        } catch {
            try removeIfPresent(path)
            throw error
        }
    }

    /// Keeps a store's files under another name: a `-wal` has the latest commits, and SQLite applies a `-journal` to
    /// whatever file has the name it belongs to. Uses links, so that the store stays in place until the backup replaces
    /// it. An interrupted restore may have made some of the links.
    private static func keep(_ path: String, as kept: String) throws {
        for suffix in ["", "-wal", "-journal"]
        where FileManager.default.fileExists(atPath: path + suffix)
            && !FileManager.default.fileExists(atPath: kept + suffix)
        {
            try FileManager.default.linkItem(atPath: path + suffix, toPath: kept + suffix)
        }
        try sync(folder(of: kept))
    }

    private static func rename(_ old: String, to new: String) throws {
        guard Glibc.rename(old, new) == 0 else {
            throw SQLiteStorageError("\(new) cannot be written: \(String(cString: strerror(errno)))")
        }
        try sync(folder(of: new))
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
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
