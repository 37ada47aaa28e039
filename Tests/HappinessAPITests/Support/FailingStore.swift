import Services
import Storage
import Synchronization

extension Stores {
    /// The same stores with other rows.
    func replacing(rows: any Store) -> Stores {
        var stores = self
        stores.rows = rows
        return stores
    }
}

/// A real store in which a number of transactions succeed, and all later ones fail.
final class FailingStore: Store {
    private let store: any Store
    private let left: Mutex<Int>

    init(_ store: any Store, afterTransactions count: Int) {
        self.store = store
        left = Mutex(count)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        try await store.write(body)
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let isOver = left.withLock { left in
            left -= 1
            return left < 0
        }
        if isOver { throw StorageError.unavailable }
        return try await store.transaction(body)
    }
}
