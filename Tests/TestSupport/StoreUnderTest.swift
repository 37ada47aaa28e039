import Mongo
public import Shared

/// The stores that pass the contract suite: `@Test(arguments: StoreUnderTest.all)`.
public enum StoreUnderTest: String, Sendable, CaseIterable {
    /// A file in a folder of its own.
    case sqlite
    /// A database of its own on the server that all tests of the process share.
    case mongodb

    /// Every store of the product.
    public static let all = Array(allCases)

    /// Lends a fresh store with its schema in place, and removes it.
    public func withStores<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Stores) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .sqlite:
            return try await TemporaryDirectory.with { directory in
                try await Self.lend(SQLiteStorage.open(path: directory.path("happiness.sqlite")), to: body)
            }
        case .mongodb:
            let server = try await MongoServer.shared
            let database = MongoServer.uniqueDatabaseName()
            let stores = try StoreLocation.mongodb(uri: server.uri(database: database)).open()
            let result: Result<Value, any Error>
            do {
                result = .success(try await Self.lend(stores, to: body))
            } catch {
                result = .failure(error)
            }
            try await server.client(database: database).run { try $0.drop() }
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
