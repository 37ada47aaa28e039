public import Foundation

/// Where objects are kept: a folder of this machine, or a bucket.
///
/// An object is written whole or not at all, is small (a picture of ours has some tens of kilobytes), and never changes:
/// what is new gets a new key. Calls end by their own deadline, and soon after their task is cancelled; what failed for
/// a passing reason was tried again before it is thrown.
public protocol ObjectStore: Sendable {
    /// Stores the object durably; one with this key is replaced.
    /// - Throws: `ObjectStoreError`; `CancellationError`. Then it may be there or not.
    func put(_ object: StoredObject, at key: ObjectKey) async throws

    /// `nil` if there is none.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    func get(_ key: ObjectKey) async throws -> StoredObject?

    /// Removes the object; one that is gone already is none the less gone.
    /// - Throws: `ObjectStoreError`; `CancellationError`. Then it may be there or not.
    func delete(_ key: ObjectKey) async throws

    /// Objects whose key begins with `prefix`, in the order of their keys, those after `after` only; at most `limit`,
    /// which is 1 to 1,000. Fewer than `limit` means that these are the last.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing]

    /// A URL by which whoever has it can load the object from the store itself, until it ends; `nil` for a store that
    /// nobody reaches but us. Two calls with the same values give the same URL.
    /// - Parameters:
    ///   - start: the instant the URL counts from, not in the future.
    ///   - lifetime: how long after `start` it ends; up to 7 days.
    func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String?

    /// Whether objects can be written, read, listed and deleted, as far as one harmless round trip can tell.
    /// - Throws: `ObjectStoreError`, in words for whoever installs this: `misconfigured` says which setting to look at.
    func check() async throws
}

/// An object with what is told of it to whoever loads it.
public struct StoredObject: Hashable, Sendable {
    /// What it is, like `image/webp`.
    public let mediaType: String
    /// All of it.
    public let bytes: [UInt8]

    /// An object from its parts.
    public init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
    }
}

/// An object of a list.
public struct ObjectListing: Hashable, Sendable {
    /// Its name.
    public let key: ObjectKey
    /// When it was written, by the store's clock.
    public let modifiedAt: Date
    /// Its length in bytes.
    public let size: Int

    /// A row from its parts.
    public init(key: ObjectKey, modifiedAt: Date, size: Int) {
        self.key = key
        self.modifiedAt = modifiedAt
        self.size = size
    }
}

/// Why an object store did not do what it was asked, told by what to do about it.
///
/// The words are for operators and logs: this program's own, with at most a status and the store's error code, never a
/// secret, never a signed URL, and never a store's free text.
public enum ObjectStoreError: Error, Equatable, Sendable {
    /// The store is away, slow, busy or full; it may do later.
    case unavailable(String)
    /// Nothing can be stored until somebody mends the settings: credentials, region, bucket, clock, rights of a folder.
    case misconfigured(String)
}
