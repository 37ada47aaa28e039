public import Foundation

/// Objects of pictures that nobody has: left by an upload or a removal that a fault cut short.
public struct OrphanPictures: Sendable {
    private let users: any UserStore
    private let objects: any ObjectStore

    /// - Parameter objects: where pictures are kept.
    public init(stores: Stores, objects: any ObjectStore) {
        users = stores.users
        self.objects = objects
    }

    /// Removes what is older than `PictureService.orphanAge` and of no user. What is younger may be on its way to count;
    /// what is older is not, for an upload gives up long before. What is no picture's is left alone.
    /// - Parameters:
    ///   - now: by the machine's clock, as the store's times are, whatever time an operator pretends.
    ///   - pageSize: objects per page of the store's list.
    /// - Returns: how many objects were removed.
    /// - Throws: `ObjectStoreError`, `AppError`, `CancellationError`; what was removed before stays so.
    public func remove(at now: Date, pageSize: Int = 1_000) async throws -> Int {
        let youngest = now - PictureService.orphanAge
        var removed = 0
        var last: ObjectKey?
        while true {
            let page = try await objects.list(prefix: ProfilePicture.keyPrefix, after: last, limit: pageSize)
            removed += try await removeOrphans(among: page.filter { $0.modifiedAt < youngest }.map(\.key))
            guard page.count == pageSize, let end = page.last else { return removed }
            last = end.key
        }
    }

    private func removeOrphans(among keys: [ObjectKey]) async throws -> Int {
        let ids = Set(keys.compactMap(ProfilePicture.id))
        guard !ids.isEmpty else { return 0 }
        let counted = try await users.pictures(among: ids.sorted())
        var removed = 0
        for key in keys {
            guard let id = ProfilePicture.id(of: key), !counted.contains(id) else { continue }
            try await objects.delete(key)
            removed += 1
        }
        return removed
    }
}
