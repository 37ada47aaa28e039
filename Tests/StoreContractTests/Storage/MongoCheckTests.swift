import Domain
import Mongo
import Storage
import TestSupport
import Testing

/// The check of a start, which compares ballots and receipts a few thousand at a time.
@Suite(.needsMongod) struct MongoCheckTests {
    @Test func `Sprints of more ballots than one transaction reads are compared and repaired`() async throws {
        let fixture = try await MongoFixture.make()
        let first = try await MongoVoting.make(in: fixture.stores)
        let second = try await first.startNext()
        let third = try await second.startNext()
        for voting in [first, second, third] {
            _ = try fixture.stores.ballots.cast([voting.ballot(), voting.ballot()], at: MongoVoting.now)
        }
        #expect(try await fixture.stores.system.check().isEmpty)

        // Surplus receipts in the first, missing ones in the third.
        try await fixture.setCount(1, of: first.sprint)
        try await fixture.setCount(12_000, of: third.sprint)
        let labels = [first, third].map(\.sprint.label.description)
        #expect(try await Set(fixture.stores.system.check().map(\.sprint)) == Set(labels))

        try await fixture.stores.system.acceptMismatches()
        #expect(try await fixture.stores.system.check().isEmpty)
        let receipts = try await fixture.documents(of: "userSprints")
        #expect(receipts.count == 2 + 2 + 12_000)
        #expect(receipts.count { $0["extra"] != nil } == 1)
    }
}

extension MongoFixture {
    /// Changes a sprint's number of ballots alone, as a restore of another moment would.
    fileprivate func setCount(_ count: Int, of sprint: Sprint) async throws {
        _ = try await client.run { database in
            try database.collection("happiness").updateOne(
                ["team": .string(sprint.teamID.description), "start": .date(sprint.start)],
                ["$set": ["count": .int(count)]])
        }
    }
}
