import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The worker's jobs for replaced and removed pictures.
@Suite struct PictureJobTests {
    /// Runs `body` with a worker's parts and a user with a stored picture.
    private static func withPicture(
        _ kind: ObjectStoreUnderTest,
        _ body: (Stores, FaultyObjectStore, User, ProfilePicture) async throws -> Void
    ) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await kind.withStore { store in
                let picture = ProfilePicture(uploadedAt: testStart)
                let user = User(
                    name: try UserName("Anna"), email: try EmailAddress("anna@example.org"), picture: picture)
                try await stores.insert(user)
                for key in picture.keys {
                    try await store.put(StoredObject(mediaType: "image/webp", bytes: [1]), at: key)
                }
                try await body(stores, FaultyObjectStore(store), user, picture)
            }
        }
    }

    /// Runs all jobs due at an instant.
    private static func work(_ stores: Stores, _ objects: any ObjectStore, at now: Date) async throws {
        let clock = WallClock { now }
        let processor = JobProcessor(
            jobs: stores.jobs,
            handlers: [
                RemovePicture(objects: objects),
                DeleteUnusedPictures(
                    orphans: UnusedPictures(
                        stores: stores, objects: objects, mark: InstallationMark(secret: TestTeam.secret)),
                    clock: clock),
            ], schedule: Schedule([]), clock: clock, random: { 0.5 }, logger: .silent)
        _ = try await processor.runDueOnce(at: now)
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `A picture that was taken down is removed, and so is the job`(kind: ObjectStoreUnderTest) async throws {
        try await Self.withPicture(kind) { stores, objects, user, _ in
            let removals = PictureRemovalService(
                stores: stores, secret: TestTeam.secret, clock: WallClock { testStart })
            #expect(try await removals.remove(of: user.id, by: .operator))
            objects.setFault(.error(.unavailable("away")))
            try await Self.work(stores, objects, at: testStart)
            let job = try #require(try await stores.jobs.list(state: .ready, limit: 10).first)
            #expect(job.lastError == "unavailable: away" && job.attempts == 1)
            objects.setFault(nil)
            try await Self.work(stores, objects, at: testStart + 3_600)
            #expect(try await objects.list(prefix: "", after: nil, limit: 10).isEmpty)
            #expect(try await stores.jobs.list(state: nil, limit: 10).isEmpty)
        }
    }

    @Test func `Orphans are searched for every day`() async throws {
        #expect(Schedule.worker.entries.contains(.init(kind: DeleteUnusedPictures.kind, every: .day)))
        try await Self.withPicture(.file) { stores, objects, user, picture in
            try await stores.update(id: user.id, UserUpdate(picture: .init(old: picture.id, new: nil)))
            _ = try await stores.jobs.enqueue(Job(kind: DeleteUnusedPictures.kind, runAt: testStart))
            try await Self.work(stores, objects, at: Date() + 2 * PictureService.orphanAge)
            let left = try await objects.list(prefix: "", after: nil, limit: 10).map(\.key.text)
            #expect(left == [InstallationMark.name])
        }
    }

    @Test func `Only an admin can remove another user's picture`() async throws {
        try await Self.withPicture(.file) { stores, _, user, _ in
            let removals = PictureRemovalService(
                stores: stores, secret: TestTeam.secret, clock: WallClock { testStart })
            await #expect(throws: AppError.self) { try await removals.remove(of: user.id, by: .user(user.id)) }
            await #expect(throws: AppError.self) { try await removals.remove(of: .random(), by: .operator) }
            let current = try await stores.user(user.id)
            #expect(current?.picture != nil)
        }
    }
}
