import Domain
import Foundation
import Mongo
import Storage
import TestSupport
import Testing

/// The server's work for a ballot, according to its own profiler.
@Suite(.needsMongod) struct MongoCastCostTests {
    /// One operation: what it did, how much it read, and the size of its response.
    fileprivate struct Operation: Equatable {
        /// The command and its collection.
        let name: String
        /// Whether it reads more of a sprint than whether it is unchanged.
        let readsSprint: Bool
        let keysExamined: Int?
        let documentsExamined: Int?
        let answerBytes: Int?
        let commandBytes: Int?
    }

    @Test func `The two-thousandth batch costs what the first did`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores, policy: .close)
        _ = try fixture.stores.ballots.cast([voting.ballot()], at: MongoVoting.now)
        let first = try await operations(of: voting, in: fixture)
        for _ in 0..<1_997 {
            _ = try fixture.stores.ballots.cast([voting.ballot(feedback: "a feedback")], at: MongoVoting.now)
        }
        let last = try await operations(of: voting, in: fixture)
        #expect(!first.isEmpty)
        #expect(first == last)
        let count = try await fixture.stores.sprint(voting.sprint.key)?.state.current.count
        #expect(count == 2_000)
    }

    @Test func `A batch takes as many operations as a ballot`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores, policy: .close)
        let first = try await operations(of: voting, in: fixture)
        let alone = try await operations(of: voting, in: fixture)
        let many = try await operations(of: voting, count: 100, in: fixture)
        // In addition to the commit, which is the server's own.
        let expected = [
            "command sessions", "insert commitments", "insert feedback", "insert userSprints", "update happiness",
        ]
        #expect([first, alone, many].map { $0.map(\.name) } == [expected, expected, expected])
    }

    @Test func `A sprint is read once by a process that votes in it alone`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        var reads: [Bool] = []
        for _ in 0..<8 { reads.append(try await operations(of: voting, in: fixture).contains { $0.readsSprint }) }
        #expect(reads == [true] + Array(repeating: false, count: 7))
    }

    @Test func `A process that finds another's votes asks first until it is alone again`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        let uri = try await MongoServer.shared.uri(database: fixture.databaseName)
        let other = try StoreLocation.mongodb(uri: uri).open()
        func updates() async throws -> Int {
            try await operations(of: voting, in: fixture).count { $0.name == "update happiness" }
        }
        var counts: [Int] = []
        for _ in 0..<4 {
            counts.append(try await updates())
            _ = try other.ballots.cast([voting.ballot()], at: MongoVoting.now)
        }
        // Only the first wrong guess costs an attempt.
        #expect(counts == [1, 2, 1, 1])
        _ = try await updates()
        _ = try await updates()
        #expect(try await operations(of: voting, in: fixture).contains { $0.readsSprint } == false)
    }

    /// Asked for several `_id` of a clustered collection, MongoDB 6 reads all of it.
    @Test func `A second vote and a clearing read nothing of other sprints`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        let next = try await voting.startNext()
        let cast = try [voting.ballot(), voting.ballot(), next.ballot(), next.ballot()]
        let outcomes = try fixture.stores.ballots.cast(cast, at: MongoVoting.now)
        #expect(outcomes.allSatisfy { $0.isCounted })
        try await addOtherSprints(to: fixture)
        let receipts = cast.compactMap { $0.voter?.receipt }
        let entries = try await profile(fixture) {
            // In one batch with a process that knows neither sprint.
            let uri = try await MongoServer.shared.uri(database: fixture.databaseName)
            let other = try StoreLocation.mongodb(uri: uri).open()
            #expect(try other.ballots.cast(cast, at: MongoVoting.now).allSatisfy { $0 == .alreadyVoted })
            try await other.system.close()
            #expect(try await fixture.stores.ballots.existing(among: receipts) == Set(receipts))
            #expect(try await fixture.stores.ballots.close(voting.sprint.key))
            try await fixture.stores.ballots.clear(voting.sprint.key, secret: MongoVoting.secret)
        }
        #expect(try await fixture.stores.ballots.existing(among: receipts) == Set(receipts[2...]))
        for entry in entries {
            let examined = (entry["docsExamined"]?.intValue ?? 0) + (entry["keysExamined"]?.intValue ?? 0)
            #expect(examined < Self.otherSprints, "\(entry)")
        }
    }

    private static let otherSprints = 200

    /// Creates closed sprints of another team, each with a receipt.
    private func addOtherSprints(to fixture: MongoFixture) async throws {
        try await fixture.client.run { database in
            let keys: [BSONDocument] = (0..<Self.otherSprints).map { number in
                ["team": "other", "start": .date(MongoVoting.now.addingTimeInterval(Double(number)))]
            }
            for (number, key) in keys.enumerated() {
                var sprint: BSONDocument = ["_id": .string("other \(number)"), "label": .int(number)]
                var receipt: BSONDocument = ["_id": .binary(Array("receipt \(number)".utf8))]
                for (field, value) in key {
                    sprint.append(field, value)
                    receipt.append(field, value)
                }
                try database.collection("happiness").insertOne(sprint)
                try database.collection("userSprints").insertOne(receipt)
            }
        }
    }

    /// The operations of a cast with `count` ballots, sorted by name.
    private func operations(
        of voting: MongoVoting, count: Int = 1, in fixture: MongoFixture
    ) async throws -> [Operation] {
        let ballots = try (0..<count).map { _ in try voting.ballot(feedback: "a feedback") }
        let entries = try await profile(fixture) {
            let outcomes = try fixture.stores.ballots.cast(ballots, at: MongoVoting.now)
            #expect(outcomes.allSatisfy { $0.isCounted })
        }
        // The question is asked at the same time as the writes: in no order.
        return entries.map(Operation.init).sorted { $0.name < $1.name }
    }

    /// The operations that `body` causes on the server.
    private func profile(_ fixture: MongoFixture, _ body: () async throws -> Void) async throws -> [BSONDocument] {
        try await fixture.client.run { database in
            try database.collection("system.profile").drop()
            _ = try database.command(["profile": 2])
        }
        try await body()
        _ = try await fixture.client.run { try $0.command(["profile": 0]) }
        // The check runs concurrently with the writes: their order varies.
        return try await fixture.documents(of: "system.profile")
            .filter { $0["ns"]?.stringValue?.contains("system.profile") == false }
            .filter { $0["command"]?.documentValue?["profile"] == nil }
    }
}

extension MongoCastCostTests.Operation {
    fileprivate init(_ entry: BSONDocument) {
        let command = entry["command"]?.documentValue
        let collection = entry["ns"]?.stringValue?.split(separator: ".").last ?? ""
        let stages = command?["pipeline"]?.arrayValue?.compactMap(\.documentValue) ?? []
        self.init(
            name: "\(entry["op"]?.stringValue ?? "") \(collection)",
            readsSprint: stages.contains { $0["$unionWith"]?.documentValue?["coll"]?.stringValue == "happiness" },
            keysExamined: entry["keysExamined"]?.intValue,
            documentsExamined: entry["docsExamined"]?.intValue,
            answerBytes: entry["responseLength"]?.intValue,
            commandBytes: command?.bytes.count)
    }
}
