import Domain
import Foundation
import Ports

/// Stores and removes all objects of a picture together.
struct PictureObjects: Sendable {
    let objects: any ObjectStore

    /// Stores every form of a picture.
    /// - Throws: `ObjectStoreError`, `CancellationError`. Then some may have been stored.
    func put(_ made: MadePicture, as picture: ProfilePicture) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (form, bytes) in made.forms {
                group.addTask {
                    try await objects.put(
                        StoredObject(mediaType: form.format.mediaType, bytes: bytes),
                        at: picture.key(form.size, form.format))
                }
            }
            try await group.waitForAll()
        }
    }

    /// Removes every form of a picture. Removing a missing one succeeds.
    /// - Throws: `ObjectStoreError`, `CancellationError`. Then some may remain.
    func remove(_ id: ProfilePicture.ID) async throws {
        for key in ProfilePicture(id: id, uploadedAt: .distantPast).keys { try await objects.delete(key) }
    }
}
