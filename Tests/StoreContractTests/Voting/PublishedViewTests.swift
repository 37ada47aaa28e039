import Domain
import Foundation
import Mongo
import Storage
import TestSupport
import Testing

/// The view `happinessBySprint` of MongoDB.
@Suite(.needsMongod) struct PublishedViewTests {
    private static let view = "happinessBySprint"

    @Test(arguments: PublicationPolicy.allCases)
    func `After every ballot the view shows what members see, and nothing else`(
        policy: PublicationPolicy
    ) async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores, threshold: 3, policy: policy)
        var votesSeen = [0]
        // The values differ, so that a sum with one ballot more or less is another one.
        for tenths in [3, 11, 24, 37, 42, 58, 69, 75, 88, 96, 100] {
            let ballot = try voting.ballot(tenths: tenths)
            #expect(try fixture.stores.ballots.cast([ballot], at: MongoVoting.now)[0].isCounted)
            votesSeen.append(try await check(fixture, voting))
        }
        _ = try await fixture.stores.ballots.close(voting.sprint.key)
        votesSeen.append(try await check(fixture, voting))
        #expect(votesSeen.last == 11)
        guard policy != .immediate else { return }
        for (before, after) in zip(votesSeen, votesSeen.dropFirst()) where before != after {
            #expect(after - before >= 3, "somebody who reads the view twice sees fewer than three ballots")
        }
    }

    @Test func `A sprint without a published result is not in the view, even when it is over`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores, threshold: 3, policy: .close)
        for ballot in [try voting.ballot(tenths: 10), try voting.ballot(tenths: 90)] {
            #expect(try fixture.stores.ballots.cast([ballot], at: MongoVoting.now)[0].isCounted)
        }
        #expect(try await fixture.documents(of: Self.view).isEmpty)
        _ = try await fixture.stores.ballots.close(voting.sprint.key)
        #expect(try await fixture.documents(of: "happiness").count == 1)
        #expect(try await fixture.documents(of: Self.view).isEmpty)
    }

    @Test(arguments: [
        ("2026-01-31T23:00:00Z", 1), ("2026-02-01T11:00:00Z", 1), ("2026-01-31T12:00:00Z", 1),
        ("2026-01-30T23:00:00Z", 0), ("2025-12-31T23:00:00Z", 0), ("2025-12-30T23:00:00Z", 11),
    ])
    func `The month is that of the day on which the sprint starts, up to twelve hours from UTC`(
        start: String, month: Int
    ) async throws {
        let fixture = try await MongoFixture.make()
        let start = try Date(start, strategy: .iso8601)
        try await fixture.client.run { database in
            try database.collection("happiness").insertOne([
                "_id": "sprint", "team": "team", "label": "2026/3", "start": .date(start),
                "published": ["count": 3, "sum": 200],
            ])
        }
        #expect(try await fixture.documents(of: Self.view).first?["month"]?.intValue == month)
    }

    @Test func `Nobody can write through the view`() async throws {
        let fixture = try await MongoFixture.make()
        let error = await #expect(throws: MongoError.self) {
            try await fixture.client.run { try $0.collection(Self.view).insertOne(["_id": 1, "votes": 3]) }
        }
        // CommandNotSupportedOnView
        #expect(error?.code == 166)
    }

    @Test func `A missing view is created at the next start, and one of another version is replaced`() async throws {
        let fixture = try await MongoFixture.make()
        let definition = try await definition(in: fixture)
        #expect(definition?["viewOn"]?.stringValue == "happiness")
        try await fixture.client.run { try $0.collection(Self.view).drop() }
        #expect(try await self.definition(in: fixture) == nil)
        // A store that is up to date, as after an upgrade that changes nothing else.
        #expect(try await fixture.stores.system.migrate() == [])
        #expect(try await self.definition(in: fixture) == definition)
        try await fixture.client.run { database in
            _ = try database.command([
                "collMod": .string(Self.view), "viewOn": "happiness", "pipeline": [["$match": ["count": 1]]],
            ])
        }
        #expect(try await fixture.stores.system.migrate() == [])
        #expect(try await self.definition(in: fixture) == definition)
    }

    @Test func `A collection of the same name stays as it is, and does not stop the start`() async throws {
        let fixture = try await MongoFixture.make()
        try await fixture.client.run { database in
            try database.collection(Self.view).drop()
            try database.collection(Self.view).insertOne(["_id": "of somebody else"])
        }
        #expect(try await fixture.stores.system.migrate() == [])
        #expect(try await fixture.documents(of: Self.view) == [["_id": "of somebody else"]])
    }

    @Test func `A backup leaves the view out, and it shows what was restored`() async throws {
        try await TemporaryDirectory.with { directory in
            let fixture = try await MongoFixture.make()
            let voting = try await MongoVoting.make(in: fixture.stores, threshold: 3, policy: .immediate)
            let ballots = try [20, 40, 90].map { try voting.ballot(tenths: $0) }
            #expect(try fixture.stores.ballots.cast(ballots, at: MongoVoting.now).allSatisfy(\.isCounted))
            let seen = try await fixture.documents(of: Self.view)
            #expect(seen.count == 1)
            let backup = directory.path("backup")
            try await fixture.stores.system.backUp(to: backup)

            // Over a store that has the view, and into one that has none yet.
            let other = try await MongoFixture.make()
            for name in [other.databaseName, MongoServer.uniqueDatabaseName()] {
                let location = StoreLocation.mongodb(uri: try await MongoServer.shared.uri(database: name))
                _ = try await location.restore(backup)
                let stores = try location.open()
                #expect(try await stores.system.migrate() == [])
                try await stores.system.close()
                let restored = try await MongoServer.shared.client(database: name).run { database in
                    try database.collection(Self.view).find([:])
                }
                #expect(restored == seen)
            }
        }
    }

    /// Compares the view with what members see.
    /// - Returns: the number of votes in the view.
    private func check(_ fixture: MongoFixture, _ voting: MongoVoting) async throws -> Int {
        let record = try #require(try await fixture.stores.sprint(voting.sprint.key))
        let publication = Publication(record)
        let documents = try await fixture.documents(of: Self.view)
        guard let happiness = publication.happiness else {
            #expect(documents.isEmpty)
            return 0
        }
        try #require(documents.count == 1)
        let shown = documents[0]
        #expect(shown.keys == ["team", "sprint", "happiness", "votes", "happinesssum", "sprintyear", "month"])
        #expect(shown["team"]?.stringValue == voting.team.id.description)
        #expect(shown["sprint"]?.stringValue == "2027/1")
        #expect(shown["votes"]?.intValue == publication.votes)
        #expect(shown["sprintyear"]?.intValue == 2027)
        // 2027-01-14.
        #expect(shown["month"]?.intValue == 0)
        let sum = try #require(shown["happinesssum"]?.doubleValue)
        #expect(abs(sum - Double(publication.sumInTenths) / 10) < 1e-9)
        let mean = try #require(shown["happiness"]?.doubleValue)
        #expect(abs(mean - happiness) < 1e-9)
        return publication.votes
    }

    private func definition(in fixture: MongoFixture) async throws -> BSONDocument? {
        try await fixture.client.run { database in
            let reply = try database.command(["listCollections": 1, "filter": ["name": .string(Self.view)]])
            let batch = reply["cursor"]?.documentValue?["firstBatch"]?.arrayValue
            return batch?.first?.documentValue?["options"]?.documentValue
        }
    }
}
