import Domain
import Foundation
import Mongo
import Ports
import Services
import Storage
import TestSupport
import Testing

/// A database that dies, hangs, or comes back.
@Suite(.needsMongod) struct MongoOutageTests {
    @Test(.timeLimit(.minutes(3)))
    func `Ballots acknowledged before a kill are stored exactly once`() async throws {
        let server = try await MongoServer.start()
        defer { server.kill() }
        let fixture = try await MongoFixture.make(on: server)
        let voting = try await MongoVoting.make(in: fixture.stores)
        let ballots = try (0..<600).map { try voting.ballot(tenths: $0 % 101, feedback: "a feedback") }

        let (acknowledgements, signal) = AsyncStream.makeStream(of: Void.self)
        // Two boxes compete for the team like two processes.
        let boxes = (0..<2).map { _ in
            BallotBox(store: fixture.stores.ballots, partitions: 1, clock: WallClock { MongoVoting.now })
        }
        async let killed: Void = {
            var count = 0
            for await _ in acknowledgements {
                count += 1
                guard count == 150 else { continue }
                server.kill()
                try await server.restart()
            }
            #expect(count >= 150)
        }()
        let acknowledged = try await castByFifty(ballots, in: boxes, signal)
        signal.finish()
        try await killed
        for box in boxes { box.close() }

        let stored = try await storedReceipts(of: ballots, in: fixture)
        #expect(acknowledged.isSubset(of: stored))
        try await expectCountMatchesReceipts(voting, fixture)

        // Voters without a response try again; afterwards each has voted once.
        for slice in stride(from: 0, to: ballots.count, by: 100) {
            let outcomes = try fixture.stores.ballots.cast(
                Array(ballots[slice..<min(slice + 100, ballots.count)]), at: MongoVoting.now)
            #expect(outcomes.allSatisfy { $0.isCounted || $0 == .alreadyVoted })
        }
        try await expectCountMatchesReceipts(voting, fixture)
        let state = try #require(try await fixture.stores.sprint(voting.sprint.key)).state
        #expect(state.current.count == ballots.count)
        #expect(state.current.sum == ballots.reduce(0) { $0 + $1.happiness.tenths })
        let texts = try await fixture.documents(of: "feedback")
        #expect(texts.count == ballots.count)
    }

    @Test(.timeLimit(.minutes(2)))
    func `An unreachable store is reported within five seconds and recovers`() async throws {
        let server = try await MongoServer.start()
        defer { server.kill() }
        let fixture = try await MongoFixture.make(on: server)
        let voting = try await MongoVoting.make(in: fixture.stores)
        // From now on the sprint is remembered.
        _ = try fixture.stores.ballots.cast([voting.ballot()], at: MongoVoting.now)
        server.kill()
        try await expectUnavailable(fixture.stores, voting)
        try await server.restart()
        try await expectAvailable(fixture.stores, voting)
    }

    @Test(.timeLimit(.minutes(2)))
    func `A silent store is reported within five seconds and recovers`() async throws {
        let server = try await MongoServer.start()
        defer { server.kill() }
        let fixture = try await MongoFixture.make(on: server)
        let voting = try await MongoVoting.make(in: fixture.stores)
        _ = try fixture.stores.ballots.cast([voting.ballot()], at: MongoVoting.now)
        let status = try await fixture.client.run { try $0.adminCommand(["serverStatus": 1]) }
        let process = Int32(try #require(status["pid"]?.intValue))
        kill(process, SIGSTOP)
        let result: Result<Void, any Error>
        do {
            result = .success(try await expectUnavailable(fixture.stores, voting))
        } catch {
            result = .failure(error)
        }
        kill(process, SIGCONT)
        try result.get()
        try await expectAvailable(fixture.stores, voting)
    }

    @Test(arguments: [false, true])
    func `A dead process's open transaction does not block anyone for long`(isSprintRemembered: Bool) async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        let ballot = try voting.ballot()
        let first = try voting.ballot(tenths: 0)
        if isSprintRemembered { _ = try fixture.stores.ballots.cast([first], at: MongoVoting.now) }
        let outcomes = try await fixture.client.run { database in
            var outcomes: [BallotOutcome]?
            try database.transaction { transaction in
                // The first time it locks the sprint and hangs, like a dead process. Later it was aborted, and is
                // retried.
                if outcomes != nil { return }
                try database.collection("happiness").updateMany([:], ["$inc": ["sum": 1]], in: transaction)
                outcomes = try fixture.stores.ballots.cast([ballot], at: MongoVoting.now)
            }
            return outcomes
        }
        #expect(outcomes?.allSatisfy { $0.isCounted } == true)
        let state = try await fixture.stores.sprint(voting.sprint.key)?.state
        #expect(state?.current.sum == ballot.happiness.tenths)
    }

    private func expectUnavailable(_ stores: Stores, _ voting: MongoVoting) async throws {
        let ballot = try voting.ballot()
        let userID = try #require(ballot.voter).userID
        let job = Job(kind: "mail", runAt: MongoVoting.now)
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("cast", { _ = try stores.ballots.cast([ballot], at: MongoVoting.now) }),
            ("close", { _ = try await stores.ballots.close(ballot.sprint) }),
            ("find", { _ = try await stores.user(userID) }),
            ("update", { try await stores.update(id: userID, UserUpdate(isDisabled: false)) }),
            ("enqueue", { _ = try await stores.jobs.enqueue(job) }),
            ("ping", { try await stores.system.ping() }),
        ]
        for (name, call) in calls {
            // On a busy machine a call may wait for a processor: one of three must be in time.
            var quickest = Duration.seconds(60)
            for _ in 0..<3 where quickest >= .seconds(5) {
                let start = ContinuousClock.now
                await #expect(throws: StorageError.unavailable, "\(name)") { try await call() }
                quickest = min(quickest, ContinuousClock.now - start)
            }
            #expect(quickest < .seconds(5), "\(name) took \(quickest)")
        }
    }

    /// The same client finds the server again; each attempt itself waits a while for it.
    private func expectAvailable(_ stores: Stores, _ voting: MongoVoting) async throws {
        let ballot = try voting.ballot()
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                let outcomes = try stores.ballots.cast([ballot], at: MongoVoting.now)
                // An earlier attempt may have been committed without a response.
                #expect(outcomes.allSatisfy { $0.isCounted || $0 == .alreadyVoted })
                return
            } catch let error as StorageError where error == .unavailable {
                guard ContinuousClock.now < deadline else { throw error }
            }
        }
    }

    /// Fifty tasks cast their share of the ballots, one after the other.
    /// - Returns: the receipts of the acknowledged ballots.
    private func castByFifty(
        _ ballots: [Ballot], in boxes: [BallotBox], _ signal: AsyncStream<Void>.Continuation
    ) async throws -> Set<Receipt> {
        try await withThrowingTaskGroup(of: Set<Receipt>.self) { group in
            for task in 0..<50 {
                group.addTask {
                    var acknowledged: Set<Receipt> = []
                    for index in stride(from: task, to: ballots.count, by: 50) {
                        do {
                            let outcome = try await boxes[task % boxes.count].cast(ballots[index])
                            #expect(outcome.isCounted)
                            acknowledged.formUnion([ballots[index].voter?.receipt].compactMap(\.self))
                            signal.yield()
                        } catch let error as StorageError where error == .unavailable {
                            continue
                        }
                    }
                    return acknowledged
                }
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    private func storedReceipts(of ballots: [Ballot], in fixture: MongoFixture) async throws -> Set<Receipt> {
        let stored = Set(try await fixture.documents(of: "userSprints").compactMap { $0["_id"]?.binaryValue })
        return Set(ballots.compactMap { $0.voter?.receipt }.filter { stored.contains($0.bytes) })
    }

    private func expectCountMatchesReceipts(_ voting: MongoVoting, _ fixture: MongoFixture) async throws {
        let receipts = try await fixture.documents(of: "userSprints").count
        let state = try await fixture.stores.sprint(voting.sprint.key)?.state
        #expect(state?.current.count == receipts)
    }
}
