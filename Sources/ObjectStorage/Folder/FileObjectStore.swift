public import Foundation
import NIOPosix
public import Shared

/// Objects as files below a folder of this machine. For one machine: API and worker must see the same folder.
///
/// The path of an object is its key with `,object` behind it, a character no key has: so `a` and `a/b` can both be there.
/// A file appears under its name only when all of it is on the disk, and a change is there after a power cut. Files are
/// read and written on NIO's threads for that, since a disk can keep a thread waiting.
public struct FileObjectStore: ObjectStore {
    /// A put takes milliseconds; what is older was left by a process that was killed.
    static let maximumDraftAge = Duration.seconds(600)

    private let tree: ObjectTree

    /// - Parameter folder: made with the first object, for this user alone.
    public init(folder: String) {
        tree = ObjectTree(root: folder)
    }

    /// Writes a draft, and moves it to its place once it is on the disk.
    public func put(_ object: StoredObject, at key: ObjectKey) async throws {
        let file = try ObjectFile.encode(object)
        try await blocking { try tree.write(file, at: key) }
    }

    /// Reads the file.
    public func get(_ key: ObjectKey) async throws -> StoredObject? {
        try await blocking { try tree.read(key).map { try ObjectFile.decode($0) } }
    }

    /// Removes the file, and folders that are empty then.
    public func delete(_ key: ObjectKey) async throws {
        try await blocking { try tree.remove(key) }
    }

    /// Goes through the folders that can hold such keys.
    public func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing] {
        try await blocking {
            var walk = ObjectTreeWalk(tree: tree, prefix: prefix, after: after?.text, limit: limit)
            return try walk.run()
        }
    }

    /// Always `nil`: nobody reaches the folder but us.
    public func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String? { nil }

    /// Removes drafts that killed processes left, too.
    public func check() async throws {
        try await blocking { try tree.removeDrafts(olderThan: Self.maximumDraftAge) }
        try await ObjectStoreProbe.run(on: self)
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await NIOThreadPool.singleton.runIfActive(body)
    }
}
