import Dispatch
import Domain
import Foundation
import GRDB
import Glibc

/// One SQLite file in write-ahead mode: one connection writes, a few read, and neither waits for the other.
/// `SQLiteFault` translates all SQLite errors.
struct SQLiteDatabase: Sendable {
    /// Seconds to wait for another process's transaction. Ours take milliseconds; this is longer than a checkpoint on a
    /// slow disk.
    private static let busyTimeout: TimeInterval = 5
    /// `PRAGMA synchronous` as a number (https://www.sqlite.org/pragma.html#pragma_synchronous).
    private static let synchronousFull = 2

    /// KiB. Receipts are keyed, so each lands on a different page. The pages of 100,000 receipts fit, so casting a
    /// ballot reads none from disk.
    private static let writerCache = 16_384
    /// Pages of 4 KiB in the write-ahead log before a checkpoint. Four times the default: a page touched by many
    /// ballots is copied once.
    private static let checkpointPages = 4_000

    /// The connections.
    let pool: DatabasePool
    /// What the latest writes showed.
    let writability = Writability()

    /// Opens the file, or creates it.
    /// - Throws: `SQLiteStorageError` if the file or its disk cannot be used, or if a restore of it has started but not
    ///   finished, or finished meanwhile.
    init(path: String) throws {
        pool = try SQLiteFault.explaining(path: path) {
            try SQLiteBackup.requireNoUnfinishedRestore(of: path)
            try Self.createFile(path: path)
            let file = Self.fileNumber(path)
            let pool = try Self.openPool(path: path)
            // Opening waits for a restore's lock. What was opened may then be the previous file, which has no name here.
            guard Self.fileNumber(path) == file else {
                try pool.close()
                throw SQLiteStorageError("The store has just been restored. Start this again.")
            }
            try SQLiteBackup.removeLeftovers(of: path)
            // Set only now: the pool sets NORMAL after all its hooks, which would lose the latest ballots in a power
            // failure.
            try pool.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA synchronous = FULL;
                        PRAGMA cache_size = -\(Self.writerCache);
                        PRAGMA wal_autocheckpoint = \(Self.checkpointPages);
                        """)
                guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == Self.synchronousFull else {
                    throw SQLiteStorageError("SQLite refuses PRAGMA synchronous = FULL; ballots would not be safe.")
                }
            }
            return pool
        }
    }

    /// Runs `body` on a consistent snapshot of the store.
    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await SQLiteFault.translatingAsync { try await pool.read(body) }
    }

    /// Runs `body` in one immediate transaction: everything is stored when the call returns, or nothing if it throws.
    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await pool.write(body) } catch { throw noted(error) }
    }

    /// Like `write`, but blocks the calling thread while it waits for the disk.
    func writeBlocking<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try pool.write(body) } catch { throw noted(error) }
    }

    /// The meaning of a write's error, after it was remembered if the next write will fail too.
    private func noted(_ error: any Error) -> any Error {
        if SQLiteFault.preventsWrites(error) { writability.noteFailure() }
        return SQLiteFault.meaning(of: error)
    }

    /// Runs `body`, which waits for the disk and has no asynchronous form, outside the cooperative thread pool.
    func onThread<Value: Sendable>(_ body: @escaping @Sendable (DatabasePool) throws -> Value) async throws -> Value {
        try await SQLiteFault.translatingAsync {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { [pool] in
                    continuation.resume(with: Result { try body(pool) })
                }
            }
        }
    }

    /// If several processes open a new file at once, each wants to switch it to write-ahead mode. SQLite rejects that
    /// without waiting while another one reads (https://www.sqlite.org/c3ref/busy_handler.html), so it is tried again.
    private static func openPool(path: String) throws -> DatabasePool {
        let deadline = ContinuousClock.now.advanced(by: .seconds(busyTimeout))
        while true {
            do {
                return try DatabasePool(path: path, configuration: configuration)
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
            {
                Thread.sleep(forTimeInterval: .random(in: 0.001...0.01))
            }
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "sqlite"
        configuration.busyMode = .timeout(busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            // Overwrites deleted content: a removed receipt must not remain in the file's free pages.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // For lists in the order of display names, which have no folded column.
            db.add(
                function: DatabaseFunction("folded", argumentCount: 1, pure: true) { values in
                    guard let text = String.fromDatabaseValue(values[0]) else { return nil }
                    return UserName.folded(text)
                })
            // For a search of a team's members, who must not find each other by their addresses.
            db.add(
                function: DatabaseFunction("searchText", argumentCount: 2, pure: true) { values in
                    NameSearch.text(of: values.compactMap { String.fromDatabaseValue($0) })
                })
        }
        return configuration
    }

    /// The file's inode; `nil` if there is none.
    private static func fileNumber(_ path: String) -> ino_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_ino : nil
    }

    /// SQLite would create the file with the process's umask, readable by other users. Its `-wal` and `-shm` files
    /// inherit the mode of the file.
    private static func createFile(path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SQLiteStorageError(
                "The folder \(folder.path) cannot be created for the store. Create it for the user this program runs as, "
                    + "or correct DATABASE_URL or DATA_DIR.")
        }
        // O_EXCL: if two processes start concurrently, one creates the file and the other opens it.
        let descriptor = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno == EEXIST else {
            throw SQLiteStorageError(
                "The store \(path) cannot be created: \(String(cString: strerror(errno))). Correct the folder’s owner "
                    + "and rights, or DATABASE_URL or DATA_DIR.")
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}

/// The rows of a SQLite file.
struct SQLiteStore: Store {
    let database: SQLiteDatabase

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        try await database.read { try body($0) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        try await database.write { try body($0) }
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await database.write { try body($0) }
    }
}

extension Database: StoreTransaction, StoreWrites {}

/// A store that cannot be used, described for an operator.
struct SQLiteStorageError: OperatorProblem {
    /// The problem and, if possible, its solution.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
