import Domain
package import Foundation
package import Ports
package import Storage

/// Objects of pictures that belong to no user: left behind by an interrupted upload or removal.
package struct UnusedPictures: Sendable {
    private let store: any Store
    private let objects: any ObjectStore
    private let mark: InstallationMark

    /// - Parameters:
    ///   - objects: stores the pictures.
    ///   - mark: of this installation. Another one's pictures would all be orphans here.
    package init(stores: Stores, objects: any ObjectStore, mark: InstallationMark) {
        store = stores.rows
        self.objects = objects
        self.mark = mark
    }

    /// Removes objects that are older than `PictureService.orphanAge` and belong to no user. A younger object may
    /// belong to a running upload; an older one does not, because uploads time out long before. Other objects are left
    /// alone.
    /// - Parameters:
    ///   - now: by the machine's clock, like the store's times, even if an operator has chosen another time.
    ///   - pageSize: objects per page of the store's list.
    /// - Returns: the number of removed objects.
    /// - Throws: `OperatorError` if the objects are another installation's; then nothing was removed. `ObjectStoreError`,
    ///   `AppError`, `CancellationError`; objects removed so far stay removed.
    package func remove(at now: Date, pageSize: Int = 1_000) async throws -> Int {
        // The store may have been away when the programs started.
        try await mark.claim(pictures: objects)
        let youngest = now - PictureService.orphanAge
        var removed = 0
        var last: ObjectKey?
        while true {
            let page = try await objects.list(prefix: ProfilePicture.keyPrefix, after: last, limit: pageSize)
            removed += try await removeUnused(among: page.filter { $0.modifiedAt < youngest }.map(\.key))
            guard page.count == pageSize, let end = page.last else { return removed }
            last = end.key
        }
    }

    private func removeUnused(among keys: [ObjectKey]) async throws -> Int {
        let ids = Set(keys.compactMap(ProfilePicture.id))
        guard !ids.isEmpty else { return 0 }
        let counted = try await store.read { try $0.pictures(among: ids.sorted()) }
        var removed = 0
        for key in keys {
            guard let id = ProfilePicture.id(of: key), !counted.contains(id) else { continue }
            try await objects.delete(key)
            removed += 1
        }
        return removed
    }
}
