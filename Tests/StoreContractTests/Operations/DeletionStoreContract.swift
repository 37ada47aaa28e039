import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// What a store remembers of deletions.
@Suite struct DeletionStoreContract {
    private let today = CalendarDay(instant: Instants.now, in: .gmt)

    @Test(arguments: StoreUnderTest.all)
    func `Deletions are added once, listed by hash, dated again, and forgotten`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let deletions = (0..<5).map { number in
                Deletion(
                    hash: [UInt8(200 - 40 * number)] + [UInt8](repeating: 0, count: 15),
                    day: today.adding(days: -number))
            }
            try await stores.remember(Array(deletions.prefix(3)))
            try await stores.remember(deletions)
            #expect(try await stores.deletions() == deletions.reversed())
            let dated = Deletion(hash: deletions[1].hash, day: today)
            try await stores.remember([dated])
            #expect(try await stores.deletions().filter { $0.hash == dated.hash } == [dated])
            // Whatever its day.
            try await stores.write { try $0.forget([deletions[1]] + deletions.suffix(2)) }
            #expect(try await stores.deletions() == [deletions[2], deletions[0]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Accounts, teams and pictures are remembered with their deletion`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (user, owner, team) = (
                try await stores.makeUser(), try await stores.makeUser(), try await stores.makeTeam()
            )
            let pictures = (0..<2).map { _ in ProfilePicture(uploadedAt: Instants.now) }
            _ = try await stores.replacePicture(of: owner.id, by: pictures[0], at: Instants.now)
            #expect(try await stores.deletions().isEmpty)

            try await stores.delete(id: user.id, enqueueing: Job(kind: "traces", runAt: Instants.now))
            try await stores.delete(team.id, at: Instants.now)
            _ = try await stores.replacePicture(of: owner.id, by: pictures[1], at: Instants.now)
            _ = try await stores.replacePicture(of: owner.id, by: nil, at: Instants.now)

            let subjects: [Deletion.Subject] =
                [.account(user.id), .team(team.id)] + pictures.map { .picture($0.id) }
            let expected = subjects.map { Deletion(of: $0, on: today, secret: TestTeam.secret) }
            #expect(try await Set(stores.deletions()) == Set(expected))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deletion that is refused is not remembered`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let admin = try await stores.makeAdmin()
            let job = Job(kind: "traces", runAt: Instants.now)
            await expectRejection(.conflict, reason: .lastAdmin) {
                try await stores.delete(id: admin.id, enqueueing: job)
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.delete(id: .random(), enqueueing: job)
            }
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.delete(.random(), at: Instants.now)
            }
            #expect(try await stores.deletions().isEmpty)
        }
    }
}
