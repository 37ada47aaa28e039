import Crypto
import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// Objects that belong to no user's picture.
@Suite struct UnusedPicturesTests {
    private static let mark = InstallationMark(secret: TestTeam.secret)

    private static func put(_ picture: ProfilePicture, in objects: any ObjectStore) async throws {
        for key in picture.keys {
            try await objects.put(StoredObject(mediaType: "image/webp", bytes: [1]), at: key)
        }
    }

    @Test(arguments: StoreUnderTest.all, ObjectStoreUnderTest.all)
    func `Old objects that are nobody's are removed, and all others stay`(
        store: StoreUnderTest, kind: ObjectStoreUnderTest
    ) async throws {
        try await store.withStores { stores in
            try await kind.withStore { objects in
                let now = Date()
                let user = User(name: try UserName("Anna"), email: try EmailAddress("anna@example.org"))
                try await stores.insert(user)
                let counted = ProfilePicture(uploadedAt: now)
                let orphan = ProfilePicture(uploadedAt: now)
                let other = try #require(ObjectKey("pictures/read-me.txt"))
                for picture in [counted, orphan] { try await Self.put(picture, in: objects) }
                try await objects.put(StoredObject(mediaType: "text/plain", bytes: [1]), at: other)
                _ = try await stores.replacePicture(of: user.id, by: counted, at: now)
                let orphans = UnusedPictures(stores: stores, objects: objects, mark: Self.mark)

                // It may be part of an upload in progress.
                #expect(try await orphans.remove(at: now + PictureService.orphanAge - 3_600) == 0)
                #expect(try await orphans.remove(at: now + PictureService.orphanAge + 3_600) == 4)
                #expect(try await orphans.remove(at: now + PictureService.orphanAge + 3_600) == 0)
                let left = try await objects.list(prefix: "", after: nil, limit: 100).map(\.key)
                let own = try #require(ObjectKey(InstallationMark.name))
                #expect(Set(left) == Set(counted.keys + [other, own]))
            }
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `Pictures of another installation are not removed`(kind: ObjectStoreUnderTest) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await kind.withStore { objects in
                let picture = ProfilePicture(uploadedAt: Date())
                try await Self.put(picture, in: objects)
                let other = InstallationMark(secret: BallotSecret(key: SymmetricKey(size: .bits256)))
                try await other.claim(pictures: objects)
                let orphans = UnusedPictures(stores: stores, objects: objects, mark: Self.mark)
                let later = Date() + 2 * PictureService.orphanAge
                let error = await #expect(throws: OperatorError.self) { try await orphans.remove(at: later) }
                #expect(error?.description.contains("has the pictures of another installation") == true)
                for key in picture.keys { #expect(try await objects.get(key) != nil) }
                // Its owner has no user with this picture any more.
                let owners = UnusedPictures(stores: stores, objects: objects, mark: other)
                #expect(try await owners.remove(at: later) == picture.keys.count)
            }
        }
    }

    @Test(.thorough) func `Every page of a long list is checked`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await ObjectStoreUnderTest.file.withStore { objects in
                for _ in 0..<53 {
                    let picture = ProfilePicture(uploadedAt: Date())
                    try await objects.put(
                        StoredObject(mediaType: "image/webp", bytes: [1]), at: picture.key(.small, .webp))
                    try await objects.put(
                        StoredObject(mediaType: "image/webp", bytes: [1]), at: picture.key(.large, .webp))
                }
                let orphans = UnusedPictures(stores: stores, objects: objects, mark: Self.mark)
                #expect(try await orphans.remove(at: Date() + 2 * PictureService.orphanAge, pageSize: 10) == 106)
            }
        }
    }
}
