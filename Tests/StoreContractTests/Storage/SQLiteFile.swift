import Foundation
import GRDB
import TestSupport
import Testing

@testable import Storage

/// A new SQLite store with access to its file.
struct SQLiteFile {
    let path: String
    let stores: Stores

    /// Creates a migrated store for `body`, and removes it afterwards.
    static func with(_ body: (SQLiteFile) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("data/happiness.sqlite")
            let stores = try SQLiteStorage.open(path: path)
            _ = try await stores.system.migrate()
            try await body(SQLiteFile(path: path, stores: stores))
            try await stores.system.close()
        }
    }

    /// Runs `body` on the connection that writes ballots, outside a transaction.
    func onWriter<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let store = try #require(stores.system as? SQLiteSystemStore)
        return try await store.database.pool.writeWithoutTransaction(body)
    }

    /// The first column of a query's rows, as text.
    func texts(_ sql: String) async throws -> [String] {
        try await onWriter { try String.fetchAll($0, sql: sql) }
    }

    /// The bytes of the file after a checkpoint of its write-ahead log.
    func bytes() async throws -> Data {
        try await onWriter { _ = try $0.checkpoint(.truncate) }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }
}
