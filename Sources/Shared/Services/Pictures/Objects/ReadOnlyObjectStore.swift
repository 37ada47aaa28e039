package import Domain
package import Foundation
package import Ports

/// An object store that is read and never changed: it belongs to another installation, or to this one under another
/// secret. Pictures that are there are shown, and nothing is stored or deleted.
package struct ReadOnlyObjectStore: ObjectStore {
    private let objects: any ObjectStore
    /// For operators: why, and what to do.
    private let reason: String

    /// - Parameter reason: becomes the message of `ObjectStoreError.misconfigured`.
    package init(_ objects: any ObjectStore, reason: String) {
        self.objects = objects
        self.reason = reason
    }

    package func put(_ object: StoredObject, at key: ObjectKey) async throws {
        throw ObjectStoreError.misconfigured(reason)
    }

    package func get(_ key: ObjectKey) async throws -> StoredObject? {
        try await objects.get(key)
    }

    package func delete(_ key: ObjectKey) async throws {
        throw ObjectStoreError.misconfigured(reason)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing] {
        try await objects.list(prefix: prefix, after: after, limit: limit)
    }

    package func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String? {
        objects.link(to: key, from: start, lifetime: lifetime)
    }

    package func check() async throws {
        throw ObjectStoreError.misconfigured(reason)
    }
}
