package import Domain
package import Foundation
package import Ports
import Synchronization

/// A real object store that can fail, hang, or respond late.
package final class FaultyObjectStore: ObjectStore {
    /// The fault.
    package enum Fault: Sendable {
        /// Every call throws this error.
        case error(ObjectStoreError)
        /// The first writes succeed, every later one throws this error: a disk that fills up.
        case fullAfter(writes: Int)
        /// Calls only end by cancellation.
        case hangs
    }

    private struct State {
        var fault: Fault?
        var writes = 0
    }

    private let store: any ObjectStore
    private let state = Mutex(State())

    /// Behaves like `store` until a fault is set.
    package init(_ store: any ObjectStore) {
        self.store = store
    }

    /// Sets a fault; `nil` clears it.
    package func setFault(_ fault: Fault?) {
        state.withLock { $0 = State(fault: fault) }
    }

    package func put(_ object: StoredObject, at key: ObjectKey) async throws {
        try await fail(isWrite: true)
        try await store.put(object, at: key)
    }

    package func get(_ key: ObjectKey) async throws -> StoredObject? {
        try await fail()
        return try await store.get(key)
    }

    package func delete(_ key: ObjectKey) async throws {
        try await fail()
        try await store.delete(key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing] {
        try await fail()
        return try await store.list(prefix: prefix, after: after, limit: limit)
    }

    package func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String? {
        store.link(to: key, from: start, lifetime: lifetime)
    }

    package func check() async throws {
        try await fail()
        try await store.check()
    }

    private func fail(isWrite: Bool = false) async throws {
        let (fault, writes) = state.withLock { state in
            if isWrite { state.writes += 1 }
            return (state.fault, state.writes)
        }
        switch fault {
        case .error(let error): throw error
        case .fullAfter(let limit): if isWrite, writes > limit { throw ObjectStoreError.unavailable("no space left") }
        case .hangs:
            await RouterServer.hang()
            throw CancellationError()
        case nil: break
        }
    }
}
