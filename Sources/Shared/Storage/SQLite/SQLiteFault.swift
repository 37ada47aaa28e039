import GRDB
import Logging

/// The only place that translates SQLite's errors into the product's.
enum SQLiteFault {
    private static let logger = Logger(label: "store.sqlite")

    /// Runs `body` and translates its errors with `meaning(of:)`.
    static func translatingAsync<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw meaning(of: error) }
    }

    /// Runs `body` at the start of a program, when someone reads why the store cannot be used.
    /// - Throws: `SQLiteStorageError` with cause and remedy, or what `body` throws if that is a defect of ours.
    static func explaining<Value>(path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            guard let cause = cause(of: error.resultCode) else { throw error }
            throw SQLiteStorageError("The store \(path) (DATABASE_URL, or in DATA_DIR) cannot be used: \(cause).")
        }
    }

    /// Cause and remedy of an error that is the machine's, not ours.
    private static func cause(of code: ResultCode) -> String? {
        switch code {
        case .SQLITE_READONLY:
            "this user may not write to the file or its folder, or the disk is read-only; correct owner and rights"
        case .SQLITE_CANTOPEN:
            "it is not a file, or this user may not open it or create files beside it; correct owner and rights"
        case .SQLITE_FULL: "the disk is full; free some space"
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: "another program has locked it; end that program"
        case .SQLITE_IOERR: "its disk fails; see the system’s log"
        case .SQLITE_NOTADB: "the file is not a store of SQLite; name another one, or restore a backup"
        case .SQLITE_CORRUPT: "the file is damaged; restore a backup (HappinessAPI restore FILE)"
        default: nil
        }
    }

    /// Whether an error of a write stays until an operator does something. A lock that was held too long does not.
    static func preventsWrites(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return [ResultCode.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN].contains(code)
    }

    /// `StorageError.unavailable` for transient failures and those an operator must fix (a lock held too long, a full
    /// or failing disk), `StorageError.duplicate` for a key that exists, and the error itself for a defect of ours.
    static func meaning(of error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PROTOCOL,
            // GRDB's code for a closed connection, for example while the process stops.
            .SQLITE_MISUSE:
            // Not SQLite's message, which can contain a path, nor GRDB's, which contains the statement.
            logger.error(
                "Store unavailable",
                metadata: [
                    "sqlite.code": "\(error.extendedResultCode.rawValue)",
                    "cause": "\(cause(of: error.resultCode) ?? "unknown")",
                ])
            return StorageError.unavailable
        case .SQLITE_CONSTRAINT
        where [.SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE].contains(error.extendedResultCode):
            return StorageError.duplicate
        default:
            return error
        }
    }
}
