import Foundation
import Mongo
import Shared
import TestSupport
import Testing

/// What the server does for a ballot, as its own profiler tells.
@Suite struct MongoCastCostTests {
    /// One operation: what it was, how much it read, how much it answered.
    private struct Operation: Equatable {
        let kind: String?
        let collection: String?
        let keysExamined: Int?
        let documentsExamined: Int?
        let answerBytes: Int?
        let commandBytes: Int?
    }

    @Test func theTwoThousandthBatchCostsWhatTheFirstDid() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores, policy: .close)
        let first = try await operations(of: voting, in: fixture)
        for _ in 0..<1_998 {
            _ = try fixture.stores.ballots.cast([voting.ballot(feedback: "a feedback")], at: MongoVoting.now)
        }
        let last = try await operations(of: voting, in: fixture)
        #expect(!first.isEmpty)
        #expect(first == last)
        let count = try await fixture.stores.sprints.find(voting.sprint.key)?.state.current.count
        #expect(count == 2_000)
    }

    @Test func aBatchTakesAsManyOperationsAsABallot() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores, policy: .close)
        let alone = try await operations(of: voting, in: fixture)
        let many = try await operations(of: voting, count: 100, in: fixture)
        #expect(alone.map(\.kind) == many.map(\.kind))
    }

    private func operations(
        of voting: MongoVoting, count: Int = 1, in fixture: MongoFixture
    ) async throws -> [Operation] {
        try await fixture.client.run { database in
            try database.collection("system.profile").drop()
            _ = try database.command(["profile": 2])
        }
        let ballots = try (0..<count).map { _ in try voting.ballot(feedback: "a feedback") }
        let outcomes = try fixture.stores.ballots.cast(ballots, at: MongoVoting.now)
        #expect(outcomes.allSatisfy { $0.isCounted })
        _ = try await fixture.client.run { try $0.command(["profile": 0]) }
        return try await fixture.documents(of: "system.profile")
            .filter { $0["ns"]?.stringValue?.contains("system.profile") == false }
            .filter { $0["command"]?.documentValue?["profile"] == nil }
            .map { entry in
                Operation(
                    kind: entry["op"]?.stringValue, collection: entry["ns"]?.stringValue,
                    keysExamined: entry["keysExamined"]?.intValue,
                    documentsExamined: entry["docsExamined"]?.intValue,
                    answerBytes: entry["responseLength"]?.intValue,
                    commandBytes: entry["command"]?.documentValue?.bytes.count)
            }
    }
}
