import Services

extension Stores {
    /// The same stores with other rows.
    func replacing(rows: any Store) -> Stores {
        var stores = self
        stores.rows = rows
        return stores
    }
}

/// A real store in which every change fails.
struct ReadOnlyStore: Store {
    let store: any Store

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        throw StorageError.unavailable
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        throw StorageError.unavailable
    }
}
