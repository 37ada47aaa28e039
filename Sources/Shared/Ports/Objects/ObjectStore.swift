package import Domain
package import Foundation

/// Stores objects in a local folder or a bucket.
///
/// An object is written completely or not at all, has at most 8 MiB (our pictures have some tens of kilobytes), and never
/// changes: new content gets a new key. Calls end by their own deadline, or soon after their task is cancelled.
/// Transient failures are retried before an error is thrown.
package protocol ObjectStore: Sendable {
    /// Stores the object durably and replaces an existing one with this key.
    /// - Throws: `ObjectStoreError`; `CancellationError`. In both cases the object may or may not have been stored.
    func put(_ object: StoredObject, at key: ObjectKey) async throws

    /// `nil` if there is none.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    func get(_ key: ObjectKey) async throws -> StoredObject?

    /// Removes the object. Deleting a missing object succeeds.
    /// - Throws: `ObjectStoreError`; `CancellationError`. In both cases the object may or may not have been removed.
    func delete(_ key: ObjectKey) async throws

    /// Objects whose key begins with `prefix` and sorts after `after`, ordered by key; at most `limit`, which is 1 to
    /// 1,000. Fewer than `limit` results mean that these are the last.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing]

    /// A URL that gives anyone who has it access to the object in the store until it expires; `nil` if only we can
    /// reach the store. Two calls with the same values return the same URL.
    /// - Parameters:
    ///   - start: the instant from which the URL is valid, not in the future.
    ///   - lifetime: how long it is valid after `start`; up to 7 days.
    func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String?

    /// Checks with one harmless round trip whether objects can be written, read, listed and deleted.
    /// - Throws: `ObjectStoreError` with a message for operators: `misconfigured` names the setting to check.
    func check() async throws
}

extension ObjectStore {
    /// All objects whose key begins with `prefix`, ordered by key.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    package func listAll(prefix: String) async throws -> [ObjectListing] {
        let pageSize = 1_000
        var found: [ObjectListing] = []
        var page: [ObjectListing]
        repeat {
            page = try await list(prefix: prefix, after: found.last?.key, limit: pageSize)
            found += page
        } while page.count == pageSize
        return found
    }
}

/// An object's content and media type.
package struct StoredObject: Hashable, Sendable {
    /// The media type, like `image/webp`.
    package let mediaType: String
    /// The complete content.
    package let bytes: [UInt8]

    /// Takes content with its media type.
    package init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
    }
}

/// An entry of a list.
package struct ObjectListing: Hashable, Sendable {
    /// The key under which `get` finds it.
    package let key: ObjectKey
    /// When it was written, by the store's clock.
    package let modifiedAt: Date
    /// Its length in bytes.
    package let size: Int

    /// Takes an entry as the store reports it.
    package init(key: ObjectKey, modifiedAt: Date, size: Int) {
        self.key = key
        self.modifiedAt = modifiedAt
        self.size = size
    }
}

/// A failed call to an object store, classified by what to do about it.
///
/// The messages are for operators and logs. They are written by this program, with at most a status and the store's
/// error code; they never contain a secret, a signed URL or free text from the store.
package enum ObjectStoreError: Error, Equatable, Sendable {
    /// The store is unreachable, slow, busy or full; a retry may succeed.
    case unavailable(String)
    /// Nothing can be stored until an operator corrects the settings: credentials, region, bucket, clock, folder
    /// permissions.
    case misconfigured(String)
}
