import Domain
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

/// No acknowledged vote is lost or counted twice, whichever process dies.
@Suite(.serialized) struct CrashTests {
    private static let voters = 600
    private static let clients = 50
    /// Number of acknowledged votes after which a process is killed, while most are still to come.
    private static let killAfter = 120

    @Test(arguments: Installation.Store.allCases)
    func `The API dies while fifty clients vote`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            try await installation.withStores { stores in
                let team = try await VotingTeam.make(Self.voters, in: stores)
                let (first, url) = try await installation.serve()
                let sprint = try await team.runningSprint(at: url)
                let result = try await Self.voteUntilRejected(team, at: url, sprint: sprint) { try await first.kill() }
                #expect(result.acknowledged.count >= Self.killAfter && result.acknowledged.count < Self.voters)

                let (second, newURL) = try await installation.serve()
                try await Self.expectExact(team, sprint: sprint, acknowledged: result.acknowledged, in: stores)
                try await Self.voteTheRest(team, at: newURL, sprint: sprint, in: stores)
                try await second.kill()
            }
        }
    }

    @Test func `The mongod dies while fifty clients vote`() async throws {
        let mongod = try await MongoServer.start()
        defer { mongod.kill() }
        try await Installation.with(.mongodb, server: mongod) { installation in
            try await installation.withStores { stores in
                let team = try await VotingTeam.make(Self.voters, in: stores)
                let (server, url) = try await installation.serve()
                let sprint = try await team.runningSprint(at: url)
                let result = try await Self.voteUntilRejected(team, at: url, sprint: sprint) { mongod.kill() }
                #expect(result.acknowledged.count >= Self.killAfter && result.acknowledged.count < Self.voters)
                #expect(!result.refusals.isEmpty)
                for rejection in result.refusals {
                    #expect(rejection.response?.status == 503, "\(rejection.response?.text ?? "no answer")")
                    #expect((rejection.response?.retryAfter ?? 0) > 0)
                    // On a busy machine one may wait for a processor.
                    #expect(rejection.duration < .seconds(9))
                }
                let durations = result.refusals.map(\.duration).sorted()
                #expect(durations[durations.count / 2] < .seconds(5))
                let ready = try await HTTPProbe.get("\(url)/health/ready")
                #expect(ready.status == 503 && (ready.retryAfter ?? 0) > 0)

                try await mongod.restart()
                try await eventually("the API is ready again", within: .seconds(15)) {
                    try await HTTPProbe.get("\(url)/health/ready").status == 200
                }
                try await Self.expectExact(team, sprint: sprint, acknowledged: result.acknowledged, in: stores)
                try await Self.voteTheRest(team, at: url, sprint: sprint, in: stores)
                try await server.kill()
            }
        }
    }

    /// The results of all clients' votes.
    private final class Results: Sendable {
        private let state = Mutex<(acknowledged: [VotingTeam.Voter], refusals: [Rejection])>(([], []))

        var acknowledged: [VotingTeam.Voter] { state.withLock { $0.acknowledged } }
        var refusals: [Rejection] { state.withLock { $0.refusals } }

        /// - Returns: the number of acknowledged votes.
        func acknowledge(_ voter: VotingTeam.Voter) -> Int {
            state.withLock { state in
                state.acknowledged.append(voter)
                return state.acknowledged.count
            }
        }

        func refuse(_ rejection: Rejection) {
            state.withLock { $0.refusals.append(rejection) }
        }
    }

    private struct Rejection: Sendable {
        /// `nil` if the connection broke.
        let response: HTTPProbe.Response?
        let duration: Duration
    }

    /// Fifty clients cast the votes of the team, each its share one after another until an error.
    private static func voteUntilRejected(
        _ team: VotingTeam, at url: String, sprint: Sprint, kill: @escaping @Sendable () async throws -> Void
    ) async throws -> Results {
        let results = Results()
        try await withThrowingTaskGroup { group in
            for client in 0..<clients {
                group.addTask {
                    for index in stride(from: client, to: team.voters.count, by: clients) {
                        let voter = team.voters[index]
                        let start = ContinuousClock.now
                        let response = try? await team.vote(voter, at: url, sprint: sprint.label)
                        guard response?.status == 201 else {
                            results.refuse(Rejection(response: response, duration: ContinuousClock.now - start))
                            return
                        }
                        if results.acknowledge(voter) == killAfter { try await kill() }
                    }
                }
            }
            try await group.waitForAll()
        }
        return results
    }

    /// All voters vote again: those who have voted are rejected, and afterwards each has voted exactly once.
    private static func voteTheRest(
        _ team: VotingTeam, at url: String, sprint: Sprint, in stores: Stores
    ) async throws {
        let before = try await team.counted(in: sprint.key, stores: stores).count
        let statuses = try await withThrowingTaskGroup { group in
            for client in 0..<clients {
                group.addTask {
                    var statuses: [Int] = []
                    for index in stride(from: client, to: team.voters.count, by: clients) {
                        let response = try await team.vote(team.voters[index], at: url, sprint: sprint.label)
                        statuses.append(response.status)
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count { $0 == 409 } == before)
        #expect(statuses.count { $0 == 201 } == team.voters.count - before)
        try await expectExact(team, sprint: sprint, acknowledged: team.voters, in: stores)
        #expect(try await team.vote(team.last, at: url, sprint: sprint.label).status == 201)
        let record = try #require(try await stores.sprint(sprint.key))
        #expect(record.state.isClosed && record.isCleared, "everyone has voted")
        #expect(record.state.published.count == team.voters.count + 1)
        let feedback = try await stores.ballots.feedback(
            of: sprint.key, publishedNumber: record.state.publishedNumber, secret: team.secret, after: nil,
            limit: 10_000)
        #expect(feedback.count == team.voters.count + 1)
    }

    /// Every acknowledged voter has a receipt, and the tally matches the receipts exactly.
    private static func expectExact(
        _ team: VotingTeam, sprint: Sprint, acknowledged: [VotingTeam.Voter], in stores: Stores
    ) async throws {
        let counted = try await team.counted(in: sprint.key, stores: stores)
        let lost = Set(acknowledged.map(\.userID)).subtracting(counted.map(\.userID))
        #expect(lost.isEmpty, "\(lost.count) acknowledged votes are lost")
        let tally = try #require(try await stores.sprint(sprint.key)).state.current
        #expect(tally.count == counted.count)
        #expect(tally.sum == counted.reduce(0) { $0 + $1.tenths })
        #expect(tally.distribution.reduce(0, +) == tally.count)
    }
}
