import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// The contract of both stores for users' pictures.
@Suite struct UserPictureContract {
    @Test(arguments: StoreUnderTest.all)
    func `A picture is found as it was set until it is removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var user = try await stores.makeUser()
            #expect(user.picture == nil)
            let picture = ProfilePicture(uploadedAt: Instants.now)
            try await stores.update(id: user.id, UserUpdate(locale: "de", picture: .init(old: nil, new: picture)))
            user.locale = "de"
            user.picture = picture
            #expect(try await stores.user(user.id) == user)

            try await stores.update(id: user.id, UserUpdate(locale: "en"))
            #expect(try await stores.user(user.id)?.picture == picture, "what is not named stays")

            try await stores.update(id: user.id, UserUpdate(picture: .init(old: picture.id, new: nil)))
            #expect(try await stores.user(user.id)?.picture == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user is inserted with a picture`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = User(
                name: try UserName("Anna"), email: try EmailAddress("anna@example.org"),
                picture: ProfilePicture(uploadedAt: Instants.now))
            try await stores.insert(user)
            #expect(try await stores.user(user.id) == user)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A change and its job are refused unless the picture is the expected one`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let picture = ProfilePicture(uploadedAt: Instants.now)
            let job = Job(kind: "test", runAt: Instants.now)
            for old in [ProfilePicture.ID.random(), .random()] {
                await expectRejection(.conflict, reason: .changedMeanwhile) {
                    try await stores.update(
                        id: user.id, UserUpdate(locale: "de", picture: .init(old: old, new: picture), enqueueing: job))
                }
            }
            #expect(try await stores.user(user.id) == user)
            #expect(try await stores.jobs.find(id: job.id) == nil)

            try await stores.update(id: user.id, UserUpdate(picture: .init(old: nil, new: picture)))
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                try await stores.update(id: user.id, UserUpdate(picture: .init(old: nil, new: picture)))
            }
        }
    }

    /// Of twenty concurrent uploads each replaces one other: nineteen jobs for nineteen pictures, and one current
    /// picture.
    @Test(arguments: StoreUnderTest.all)
    func `Of twenty pictures at once, one stays and each replaced one is removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let pictures = (0..<20).map { _ in ProfilePicture(uploadedAt: Instants.now) }
            _ = try await concurrently(20) { number in
                try await stores.replacePicture(of: user.id, by: pictures[number], at: Instants.now)
            }
            let left = try #require(try await stores.user(user.id)?.picture)
            let jobs = try await stores.jobs.list(state: .ready, limit: 100)
            let removed = try jobs.map { job in
                #expect(job.kind == PictureRemoval.jobKind && !job.payload.contains(user.id.description))
                return try JobContext(job: job, now: Instants.now).parameters(as: PictureRemoval.self).picture
            }
            #expect(removed.count == 19)
            #expect(Set(removed + [left.id]) == Set(pictures.map(\.id)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Pictures in use are distinguished from those that are nobody's`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let users = try await [stores.makeUser(), stores.makeUser(), stores.makeUser()]
            let pictures = users.map { _ in ProfilePicture(uploadedAt: Instants.now) }
            for (user, picture) in zip(users, pictures) {
                _ = try await stores.replacePicture(of: user.id, by: picture, at: Instants.now)
            }
            let asked = pictures.prefix(2).map(\.id) + [ProfilePicture.ID.random()]
            #expect(try await stores.read { try $0.pictures(among: asked) } == Set(pictures.prefix(2).map(\.id)))
            #expect(try await stores.read { try $0.pictures(among: []) }.isEmpty)
            #expect(try await !stores.replacePicture(of: stores.makeUser().id, by: nil, at: Instants.now))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An account is deleted only with the picture its job knows`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let picture = ProfilePicture(uploadedAt: Instants.now)
            _ = try await stores.replacePicture(of: user.id, by: picture, at: Instants.now)
            let job = Job(kind: "test", runAt: Instants.now)
            for known in [nil, ProfilePicture.ID.random()] {
                await expectRejection(.conflict, reason: .changedMeanwhile) {
                    try await stores.delete(id: user.id, ifPictureIs: known, ifAdmin: nil, enqueueing: job)
                }
            }
            #expect(try await stores.user(user.id) != nil)
            #expect(try await stores.jobs.find(id: job.id) == nil)
            try await stores.delete(id: user.id, ifPictureIs: picture.id, ifAdmin: nil, enqueueing: job)
            #expect(try await stores.read { try $0.pictures(among: [picture.id]) }.isEmpty)
            await expectRejection(.notFound, reason: .noSuchUser) {
                _ = try await stores.replacePicture(of: user.id, by: picture, at: Instants.now)
            }
        }
    }
}
