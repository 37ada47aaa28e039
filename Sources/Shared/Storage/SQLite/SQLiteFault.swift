import GRDB
import Logging

/// The one place where SQLite's errors become the product's.
enum SQLiteFault {
    private static let logger = Logger(label: "store.sqlite")

    /// Runs `body` and throws what its error means: see `meaning(of:)`.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw meaning(of: error) }
    }

    /// Runs `body` and throws what its error means: see `meaning(of:)`.
    static func translatingAsync<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw meaning(of: error) }
    }

    /// `AppError.storeUnavailable` for what passes or an operator mends (a lock held too long, a full or failing
    /// disk), a conflict for what stands against a stored row, and the error itself for a fault of ours.
    ///
    /// Stores look for the conflicts they name (`name-taken`) before they write, in the same transaction; only what
    /// they have no name for comes here as a violated constraint.
    static func meaning(of error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PROTOCOL,
            // GRDB's code for a connection that was closed, as when the process is stopping.
            .SQLITE_MISUSE:
            // The code alone: SQLite's message can hold a path, GRDB's the statement.
            logger.error("Store unavailable", metadata: ["sqlite.code": "\(error.extendedResultCode.rawValue)"])
            return AppError.storeUnavailable
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY:
            return AppError(.notFound, "What this belongs to is not there any more.")
        case .SQLITE_CONSTRAINT
        where [.SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE].contains(error.extendedResultCode):
            return AppError(.conflict, "This is there already.")
        default:
            return error
        }
    }
}
