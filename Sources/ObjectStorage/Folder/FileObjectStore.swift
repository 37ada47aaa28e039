package import Domain
package import Foundation
import NIOPosix
package import Ports

/// Stores objects as files in a local folder. Only for a single machine: API and worker must see the same folder.
///
/// The path of an object is its key plus `,object`. Keys never contain a comma, so both `a` and `a/b` can exist. A file
/// appears under its name only once it is completely on the disk, and changes survive a power failure. Files are read
/// and written on NIO's threads, since a disk can block a thread.
package struct FileObjectStore: ObjectStore {
    /// A put takes milliseconds; older drafts were left by a killed process.
    static let maximumDraftAge = Duration.seconds(600)

    private let tree: ObjectTree

    /// - Parameter folder: created with the first object, accessible to this user only.
    package init(folder: String) {
        tree = ObjectTree(root: folder)
    }

    /// Writes a draft and moves it to its place once it is on the disk.
    package func put(_ object: StoredObject, at key: ObjectKey) async throws {
        let file = try ObjectFile.encode(object)
        try await blocking { try tree.write(file, at: key) }
    }

    /// Reads the file; `nil` if there is none.
    package func get(_ key: ObjectKey) async throws -> StoredObject? {
        try await blocking { try tree.read(key).map { try ObjectFile.decode($0) } }
    }

    /// Deletes the file, and folders that become empty.
    package func delete(_ key: ObjectKey) async throws {
        try await blocking { try tree.remove(key) }
    }

    /// Walks through the folders that may contain matching keys.
    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing] {
        try await blocking {
            var walk = ObjectTreeWalk(tree: tree, prefix: prefix, after: after?.text, limit: limit)
            return try walk.run()
        }
    }

    /// Always `nil`: only this server has access to the folder.
    package func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String? { nil }

    /// Also deletes drafts left by killed processes.
    package func check() async throws {
        try await blocking { try tree.removeDrafts(olderThan: Self.maximumDraftAge) }
        try await ObjectStoreProbe.run(on: self)
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await NIOThreadPool.singleton.runIfActive(body)
    }
}
