import GRDB
import Logging

/// The only place that translates SQLite's errors into the product's.
enum SQLiteFault {
    private static let logger = Logger(label: "store.sqlite")

    /// Runs `body` and translates its errors with `meaning(of:)`.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw meaning(of: error) }
    }

    /// Runs `body` and translates its errors with `meaning(of:)`.
    static func translatingAsync<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw meaning(of: error) }
    }

    /// `StorageError.unavailable` for transient failures and those an operator must fix (a lock held too long, a full
    /// or failing disk), `StorageError.duplicate` for a key that exists, and the error itself for a defect of ours.
    static func meaning(of error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PROTOCOL,
            // GRDB's code for a closed connection, for example while the process stops.
            .SQLITE_MISUSE:
            // Only the code: SQLite's message can contain a path, GRDB's the statement.
            logger.error("Store unavailable", metadata: ["sqlite.code": "\(error.extendedResultCode.rawValue)"])
            return StorageError.unavailable
        case .SQLITE_CONSTRAINT
        where [.SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE].contains(error.extendedResultCode):
            return StorageError.duplicate
        default:
            return error
        }
    }
}
