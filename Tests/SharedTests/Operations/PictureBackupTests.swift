import Crypto
import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// Copies of pictures beside the backups, from both kinds of object store.
@Suite struct PictureBackupTests {
    /// A store with two users who have a picture each.
    private struct Place {
        let stores: Stores
        let pictures: any ObjectStore
        let copies: any ObjectStore
        let users: [User]
        let uploaded: [ProfilePicture]

        func backup(_ key: Curve25519.KeyAgreement.PublicKey? = nil) -> PictureBackup {
            PictureBackup(stores: stores, pictures: pictures, copies: copies, key: key)
        }

        func objects(of store: any ObjectStore) async throws -> [ObjectKey: StoredObject] {
            var objects: [ObjectKey: StoredObject] = [:]
            for entry in try await store.list(prefix: "", after: nil, limit: 1_000) {
                objects[entry.key] = try await store.get(entry.key)
            }
            return objects
        }

        func upload(_ picture: ProfilePicture) async throws {
            for key in picture.keys {
                try await pictures.put(
                    StoredObject(mediaType: "image/webp", bytes: Array("picture \(key)".utf8)), at: key)
            }
        }

        /// As the product does: first the user's, then the objects.
        func removePicture(of number: Int) async throws {
            _ = try await stores.replacePicture(of: users[number].id, by: nil, at: Date())
            for key in uploaded[number].keys { try await pictures.delete(key) }
        }
    }

    private func withPlace(_ kind: ObjectStoreUnderTest, _ body: (Place) async throws -> Void) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await kind.withStore { pictures in
                try await ObjectStoreUnderTest.file.withStore { copies in
                    var users: [User] = []
                    for name in ["anna", "ben"] {
                        let user = User(name: try UserName(name), email: try EmailAddress("\(name)@example.org"))
                        try await stores.insert(user)
                        users.append(user)
                    }
                    let place = Place(
                        stores: stores, pictures: pictures, copies: copies, users: users,
                        uploaded: users.map { _ in ProfilePicture(uploadedAt: Date()) })
                    for (user, picture) in zip(users, place.uploaded) {
                        try await place.upload(picture)
                        _ = try await stores.replacePicture(of: user.id, by: picture, at: Date())
                    }
                    try await body(place)
                }
            }
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `Each picture is copied once, and goes a month after it was deleted`(kind: ObjectStoreUnderTest) async throws {
        try await withPlace(kind) { place in
            let count = place.uploaded.reduce(0) { $0 + $1.keys.count }
            let now = Date()
            #expect(try await place.backup().update(at: now) == CopyChanges(added: count))
            let copies = try await place.objects(of: place.copies)
            #expect(try await copies == place.objects(of: place.pictures))
            #expect(try await place.backup().update(at: now).isEmpty)

            for number in [0, 1] { try await place.removePicture(of: number) }
            #expect(try await place.backup().update(at: now + 2 * PictureBackup.patience).isEmpty)
            #expect(try await place.backup().update(at: now + PictureBackup.patience - 3_600).isEmpty)
            let changes = try await place.backup().update(at: now + PictureBackup.patience + 3_600)
            #expect(changes == CopyChanges(removed: count))
            #expect(try await place.objects(of: place.copies).isEmpty)
        }
    }

    @Test func `A picture that is used again, as after a restoration, keeps its copy`() async throws {
        try await withPlace(.file) { place in
            let now = Date()
            _ = try await place.backup().update(at: now)
            let copies = try await place.objects(of: place.copies)
            try await StoreUnderTest.sqlite.withStores { empty in
                try await ObjectStoreUnderTest.file.withStore { none async throws in
                    let other = PictureBackup(stores: empty, pictures: none, copies: place.copies)
                    #expect(try await other.update(at: now).isEmpty)
                }
            }
            let later = now + PictureBackup.patience + 3_600
            #expect(try await place.backup().update(at: later).isEmpty)
            #expect(try await place.objects(of: place.copies) == copies)
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `Lost pictures keep their copies and are restored, deleted ones are not`(
        kind: ObjectStoreUnderTest
    ) async throws {
        try await withPlace(kind) { place in
            _ = try await place.backup().update(at: Date())
            try await place.removePicture(of: 0)
            let kept = try await place.objects(of: place.pictures)
            for key in kept.keys { try await place.pictures.delete(key) }
            #expect(try await place.backup().update(at: Date()).isEmpty)
            let restored = try await place.backup().restore(with: nil)
            #expect(restored.objects == Set(kept.keys) && restored.unreadable.isEmpty)
            #expect(try await place.objects(of: place.pictures) == kept)
            #expect(try await place.backup().restore(with: nil) == PictureBackup.Restored())
        }
    }

    @Test func `Encrypted copies show nothing, and only the private key opens them`() async throws {
        try await withPlace(.file) { place in
            let key = Curve25519.KeyAgreement.PrivateKey()
            let original = try await place.objects(of: place.pictures)
            _ = try await place.backup(key.publicKey).update(at: Date())
            for copy in try await place.objects(of: place.copies).values {
                let text = String(decoding: copy.bytes, as: UTF8.self)
                #expect(copy.mediaType != "image/webp" && !text.contains("picture") && !text.contains("webp"))
            }
            for objectKey in original.keys { try await place.pictures.delete(objectKey) }
            await #expect(throws: OperatorError.self) { try await place.backup().restore(with: nil) }
            let wrong = try await place.backup().restore(with: Curve25519.KeyAgreement.PrivateKey())
            #expect(wrong.objects.isEmpty && wrong.unreadable == Set(original.keys))
            #expect(try await place.objects(of: place.pictures).isEmpty)
            _ = try await place.backup().restore(with: key)
            #expect(try await place.objects(of: place.pictures) == original)
        }
    }

    @Test func `An encrypted copy under another picture's name is refused, and the others are restored`() async throws {
        try await withPlace(.file) { place in
            let key = Curve25519.KeyAgreement.PrivateKey()
            let original = try await place.objects(of: place.pictures)
            _ = try await place.backup(key.publicKey).update(at: Date())
            let (first, second) = (place.uploaded[0].keys[0], place.uploaded[1].keys[0])
            try await place.copies.put(try #require(try await place.copies.get(first)), at: second)
            for objectKey in original.keys { try await place.pictures.delete(objectKey) }
            let restored = try await place.backup().restore(with: key)
            #expect(restored.objects == Set(original.keys).subtracting([second]) && restored.unreadable == [second])
            #expect(try await place.pictures.get(second) == nil)
        }
    }
}
