import Domain
import Foundation
import Mongo
import Storage
import TestSupport
import Testing

/// The check of session and membership fails or takes long while the cast's transaction is open. Serialized, since a
/// server has only one such fail point (https://github.com/mongodb/mongo/wiki/The-%22failCommand%22-fail-point).
@Suite(.needsMongod, .serialized) struct MongoCastFaultTests {
    /// Unstructured, because the first test starts it for all others.
    private static let server = Task { try await MongoServer.start(testCommands: true) }

    @Test func `A failed query leaves nothing, and the next cast succeeds`() async throws {
        let voting = try await Voting.make(on: Self.server.value)
        // MaxTimeMSExpired: the driver does not retry it.
        try await voting.fail(["aggregate"], times: 1, ["errorCode": 50])
        await #expect(throws: StorageError.unavailable) { _ = try await voting.cast(1) }
        #expect(try await voting.counts() == [1, 1, 0])
        #expect(try await voting.cast(1).isCounted)
        #expect(try await voting.counts() == [2, 2, 1])
    }

    @Test func `A server that refuses writes is not ready until it takes them again`() async throws {
        let voting = try await Voting.make(on: Self.server.value)
        let system = voting.stores.system
        // UserWritesBlocked: it answers, is primary, and refuses to write.
        let failure: BSONDocument = ["errorCode": 371, "errorLabels": []]
        let writes = ["insert", "update", "findAndModify"]
        try await voting.fail(writes, times: 1_000, failure)
        // No cast yet, so this process does not know.
        try await system.ping()
        await #expect(throws: StorageError.unavailable) { _ = try await voting.cast(1) }
        #expect(!system.isWritable)
        await #expect(throws: StorageError.unavailable) { try await system.ping() }
        #expect(!system.isWritable)
        try await voting.fail(writes, times: 0, failure)
        try await system.ping()
        #expect(system.isWritable)
        #expect(try await voting.cast(1).isCounted)
        #expect(try await voting.counts() == [2, 2, 1])
        // What the ping stored is gone.
        #expect(try await system.fingerprints().isEmpty)
    }

    @Test func `A question whose connection breaks is asked again`() async throws {
        let voting = try await Voting.make(on: Self.server.value)
        try await voting.fail(["aggregate"], times: 1, ["closeConnection": true])
        #expect(try await voting.cast(1).isCounted)
        #expect(try await voting.counts() == [2, 2, 1])
    }

    @Test(.timeLimit(.minutes(1)))
    func `A question that takes long delays another process only for a second`() async throws {
        let server = try await Self.server.value
        let voting = try await Voting.make(on: server)
        let other = try StoreLocation.mongodb(uri: server.uri(database: voting.fixture.databaseName)).open()
        try await voting.fail(["aggregate"], times: 1, ["blockConnection": true, "blockTimeMS": 1_600])
        async let slow = voting.cast(1)
        try await voting.untilATransactionIsIdle()
        // It aborts the other transaction, which is then retried.
        let ballot = try voting.voters[2].ballot(in: voting.sprint, feedback: "a feedback")
        #expect(try await other.cast([ballot])[0].isCounted)
        #expect(try await slow.isCounted)
        #expect(try await voting.counts() == [3, 3, 2])
    }

    /// Whether or not it was executed.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [["writeConcernError": ["code": 64, "errmsg": "timed out"]], ["closeConnection": true]]
            as [BSONDocument])
    func `A commit of unknown fate is reported in time, and its vote counted once`(failure: BSONDocument) async throws {
        let voting = try await Voting.make(on: Self.server.value)
        try await voting.fail(["commitTransaction"], times: 1_000, failure)
        // On a busy machine a call may wait for a processor: one of three must be in time.
        var quickest = Duration.seconds(60)
        for _ in 0..<3 where quickest >= .seconds(5) {
            let start = ContinuousClock.now
            await #expect(throws: StorageError.unavailable) { _ = try await voting.cast(1) }
            quickest = min(quickest, ContinuousClock.now - start)
        }
        #expect(quickest < .seconds(5))
        // The server answers, so only a write shows that its commits fail.
        await #expect(throws: StorageError.unavailable) { try await voting.stores.system.ping() }
        try await voting.fail(["commitTransaction"], times: 0, failure)
        try await voting.stores.system.ping()
        #expect(voting.stores.system.isWritable)
        let outcome = try await voting.cast(1)
        #expect(outcome.isCounted || outcome == .alreadyVoted)
        #expect(try await voting.counts() == [2, 2, 1])
    }

    @Test(.timeLimit(.minutes(2)))
    func `A server killed before the answer is reported in time, without the vote`() async throws {
        let server = try await MongoServer.start(testCommands: true)
        defer { server.kill() }
        let voting = try await Voting.make(on: server)
        try await voting.fail(["aggregate"], times: 1, ["blockConnection": true, "blockTimeMS": 30_000])
        let start = ContinuousClock.now
        async let cast = voting.cast(1)
        try await voting.untilATransactionIsIdle()
        server.kill()
        do {
            Issue.record("\(try await cast) by a server that is gone")
        } catch let error as StorageError {
            #expect(error == .unavailable)
        }
        // Five seconds are promised, and held by `MongoOutageTests`. This one call may wait for a busy machine.
        #expect(ContinuousClock.now - start < .seconds(10))
        try await server.restart()
        #expect(try await voting.counts() == [1, 1, 0])
        #expect(try await voting.cast(1).isCounted)
        #expect(try await voting.counts() == [2, 2, 1])
    }
}

/// Members of a team, the first of whom has voted, so that the sprint is remembered.
private struct Voting {
    let fixture: MongoFixture
    let sprint: Sprint
    let voters: [Voter]

    var stores: Stores { fixture.stores }

    static func make(on server: MongoServer) async throws -> Voting {
        let fixture = try await MongoFixture.make(on: server)
        let team = try await fixture.stores.makeTeam()
        let voting = Voting(
            fixture: fixture, sprint: try await fixture.stores.makeSprint(of: team),
            voters: try await fixture.stores.makeVoters(4, in: team))
        #expect(try await voting.stores.cast([voting.voters[0].ballot(in: voting.sprint)])[0].isCounted)
        return voting
    }

    func cast(_ number: Int) async throws -> BallotOutcome {
        try await stores.cast([voters[number].ballot(in: sprint, feedback: "a feedback")])[0]
    }

    /// Number of ballots, receipts and feedback texts.
    func counts() async throws -> [Int] {
        [
            try await stores.record(of: sprint).state.current.count,
            try await fixture.documents(of: "userSprints").count, try await fixture.documents(of: "feedback").count,
        ]
    }

    func fail(_ commands: [String], times: Int, _ failure: BSONDocument) async throws {
        var data: BSONDocument = ["failCommands": .array(commands.map { .string($0) })]
        for (key, value) in failure { data.append(key, value) }
        let settings = data
        try await fixture.client.run { database in
            _ = try database.adminCommand([
                "configureFailPoint": "failCommand", "mode": times == 0 ? "off" : ["times": .int(times)],
                "data": .document(settings),
            ])
        }
    }

    /// Waits until a transaction has written everything and is idle
    /// (https://www.mongodb.com/docs/manual/reference/command/currentOp/).
    func untilATransactionIsIdle() async throws {
        let idle: BSONDocument = ["currentOp": 1, "type": "idleSession", "transaction": ["$exists": true]]
        let deadline = ContinuousClock.now + .seconds(30)
        while try await fixture.client.run({ try $0.adminCommand(idle) })["inprog"]?.arrayValue?.isEmpty != false {
            guard ContinuousClock.now < deadline else { throw Late() }
        }
    }

    private struct Late: Error {}
}
