import Domain
import Foundation
import GRDB
import Mongo
import TestSupport
import Testing

@testable import Storage

/// Papers that version 0.1.0 has stored: it kept only their hashes.
@Suite struct EarlierPapersTests {
    @Test func `SQLite lists papers of 0.1.0 without a signature, and new ones with it`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            let database = try #require(stores.system as? SQLiteSystemStore).database
            try await database.onThread { try SQLiteMigrations.migrator.migrate($0, upTo: "0027-revocations") }
            let sprint = Sprint.Key(teamID: .random(), start: Instants.start)
            let hash = Array(repeating: UInt8(9), count: 32)
            _ = try await database.write { db in
                try db.change(
                    "INSERT INTO spentPapers (team, sprintStart, paper, snapshot) VALUES (?, ?, ?, 1)",
                    [sprint.teamID.description, sprint.start.seconds, Data(hash)])
            }
            _ = try await stores.system.migrate()
            let listed = try await stores.ballotKeys.spentPapers(of: sprint, publishedNumber: 1)
            #expect(listed.map(\.hash) == [hash] && listed.allSatisfy { $0.signed == nil })
            #expect(try await stores.ballotKeys.isSpent(SpentPaper(stored: hash, signed: nil, sprint: sprint)))
            try await stores.system.close()
        }
    }

    @Test(.needsMongod) func `MongoDB lists papers of 0.1.0 without a signature`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        let sprint = voting.sprint.key
        let hash = Array(repeating: UInt8(0), count: 32)
        let document: BSONDocument = [
            "_id": .binary(hash), "team": .string(sprint.teamID.description), "start": .date(sprint.start),
            "snapshot": 1,
        ]
        try await fixture.client.run { try $0.collection("spentPapers").insertMany([document]) }
        let new = try voting.sealedBallot()
        let outcomes = try fixture.stores.ballots.cast([new], at: MongoVoting.now)
        #expect(outcomes.count(where: \.isCounted) == 1)
        let listed = try await fixture.stores.ballotKeys.spentPapers(of: sprint, publishedNumber: .max)
        #expect(listed.map { $0.signed == nil } == [true, false])
        #expect(listed.first?.hash == hash)
        #expect(try await fixture.stores.ballotKeys.isSpent(SpentPaper(stored: hash, signed: nil, sprint: sprint)))
    }
}
