import Foundation
import Mongo
package import Storage

/// The stores that must pass the contract suite: `@Test(arguments: StoreUnderTest.all)`.
package enum StoreUnderTest: String, Sendable, CaseIterable {
    /// A file in a folder of its own.
    case sqlite
    /// A new database on the server shared by all tests of the process.
    case mongodb

    /// Every store of the product, or those that `TEST_STORES` names, separated by commas: `make test-fast` leaves
    /// MongoDB out.
    package static let all = chosen(among: allCases)

    /// The cases that `TEST_STORES` names; all of them if it is not set.
    static func chosen<Store: RawRepresentable<String>>(among stores: some Sequence<Store>) -> [Store] {
        guard let names = ProcessInfo.processInfo.environment["TEST_STORES"] else { return Array(stores) }
        let chosen = names.split(separator: ",").map(String.init)
        return stores.filter { chosen.contains($0.rawValue) }
    }

    /// Runs `body` with a new migrated store, and removes it afterwards.
    package func withStores<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Stores) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .sqlite:
            return try await TemporaryDirectory.with { directory in
                let path = directory.path("happiness.sqlite")
                try await EmptySQLiteFile.shared.value.write(to: URL(filePath: path))
                return try await Self.lend(SQLiteStorage.open(path: path), to: body)
            }
        case .mongodb:
            let databases = EmptyDatabases.shared
            let database = await databases.take()
            let stores = try await StoreLocation.mongodb(uri: MongoServer.shared.uri(database: database)).open()
            let result: Result<Value, any Error>
            do {
                result = .success(try await Self.lend(stores, to: body))
            } catch {
                result = .failure(error)
            }
            try await databases.release(database)
            return try result.get()
        }
    }

    private static func lend<Value>(
        _ stores: Stores, isolation: isolated (any Actor)? = #isolation, to body: (Stores) async throws -> Value
    ) async throws -> Value {
        _ = try await stores.system.migrate()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(stores))
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        return try result.get()
    }
}

/// A file that has the schema and no rows. Creating the schema takes ten times as long as writing the file.
private enum EmptySQLiteFile {
    /// Unstructured, because the first test creates it for all others.
    static let shared = Task {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("empty.sqlite")
            let stores = try SQLiteStorage.open(path: path)
            _ = try await stores.system.migrate()
            try await stores.system.close()
            return try Data(contentsOf: URL(filePath: path))
        }
    }
}

/// Databases on the shared server that have the schema and no documents. Creating the schema takes a second, and
/// emptying a database a few milliseconds.
private actor EmptyDatabases {
    static let shared = EmptyDatabases()

    private var names: [String] = []

    /// One that nobody else uses until it is given back; a new one has no schema yet.
    func take() -> String {
        names.popLast() ?? MongoServer.uniqueDatabaseName()
    }

    func release(_ name: String) async throws {
        try await MongoServer.shared.client(database: name).run { database in
            for collection in try database.collectionNames()
            where collection != "migrations" && !collection.hasPrefix("system.") {
                try database.collection(collection).deleteMany([:])
            }
        }
        names.append(name)
    }
}
