import Foundation

/// The objects of pictures, put and removed as a whole.
struct PictureObjects: Sendable {
    let objects: any ObjectStore

    /// Stores every form of a picture.
    /// - Throws: `ObjectStoreError`, `CancellationError`. Then some may be there.
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

    /// Removes every form of a picture, or finds that it is gone.
    /// - Throws: `ObjectStoreError`, `CancellationError`. Then some may be there.
    func remove(_ id: ProfilePicture.ID) async throws {
        for key in ProfilePicture(id: id, uploadedAt: .distantPast).keys { try await objects.delete(key) }
    }
}

extension ProfilePicture {
    /// Whose object a key names; `nil` for one that is no picture's.
    static func id(of key: ObjectKey) -> ID? {
        let parts = key.text.split(separator: "/")
        guard parts.count == 3, key.text.hasPrefix(keyPrefix) else { return nil }
        return ID(String(parts[1]))
    }
}
