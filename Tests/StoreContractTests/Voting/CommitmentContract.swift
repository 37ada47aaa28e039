import Commitments
import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// The commitments of ballots, and the sum of what hides their values.
@Suite struct CommitmentContract {
    @Test(arguments: StoreUnderTest.all)
    func `The commitments of the published ballots are opened by the published sums`(
        kind: StoreUnderTest
    ) async throws {
        for policy in PublicationPolicy.allCases {
            try await withSprint(kind, members: 8, policy: policy) { stores, sprint, voters in
                let ballots = try voters.enumerated().map { try $1.ballot(in: sprint, tenths: 10 * $0 + 3) }
                for ballot in ballots { _ = try await stores.cast([ballot]) }
                #expect(try await stores.ballots.close(sprint.key))
                for isCleared in [false, true] {
                    let published = try await stores.record(of: sprint).state
                    let commitments = try await stores.ballots.commitments(
                        of: sprint.key, publishedNumber: published.publishedNumber)
                    #expect(commitments == ballots.map(\.commitment).sorted(), "\(policy) \(isCleared)")
                    #expect(
                        Commitment.areOpened(
                            commitments, by: published.published.sum, randomness: published.published.randomness))
                    try await stores.ballots.clear(sprint.key, secret: Voter.secret)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The commitments of ballots that stay unpublished are destroyed`(kind: StoreUnderTest) async throws {
        try await withSprint(kind, members: 2, policy: .close) { stores, sprint, voters in
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            #expect(try await stores.ballots.close(sprint.key))
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            let state = try await stores.record(of: sprint).state
            #expect(state.published.count == 0 && state.published.randomness == .zero)
            #expect(try await stores.ballots.commitments(of: sprint.key, publishedNumber: .max).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Ballots that arrive together are all committed to`(kind: StoreUnderTest) async throws {
        try await withSprint(kind, members: 40, policy: .live) { stores, sprint, voters in
            let ballots = try voters.enumerated().map { try $1.ballot(in: sprint, tenths: 2 * $0) }
            _ = try await concurrently(8) { number in
                try await stores.cast(Array(ballots[(5 * number)..<(5 * number + 5)]))
            }
            let state = try await stores.record(of: sprint).state
            #expect(state.current.randomness == ballots.map(\.randomness).reduce(.zero, +))
            #expect(try await stores.ballots.close(sprint.key))
            let closed = try await stores.record(of: sprint).state
            let commitments = try await stores.ballots.commitments(
                of: sprint.key, publishedNumber: closed.publishedNumber)
            #expect(commitments.count == closed.published.count)
            #expect(
                Commitment.areOpened(commitments, by: closed.published.sum, randomness: closed.published.randomness))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Two ballots may have the same commitment`(kind: StoreUnderTest) async throws {
        try await withSprint(kind, members: 1, policy: .immediate) { stores, sprint, _ in
            let randomness = BlindingFactor.random()
            let key = BallotKey(sprint: sprint.key, publicKey: Array(repeating: 1, count: 294))
            let ballots = try (0..<3).map { number in
                let paper = try #require(BallotPaper(bytes: Array(repeating: UInt8(number), count: BallotPaper.length)))
                return Ballot(
                    paper: SpentPaper(SignedPaper(paper, signature: [1]), key: key),
                    happiness: try Happiness(tenths: 70), feedback: nil, randomness: randomness)
            }
            let outcomes = try await stores.cast(ballots)
            #expect(outcomes.count(where: \.isCounted) == 3)
            #expect(
                try await stores.ballots.commitments(of: sprint.key, publishedNumber: .max)
                    == Array(repeating: Commitment(to: 70, with: randomness), count: 3))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deleted team leaves no commitments`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(3, in: team)
            let sprint = try await stores.makeSprint(of: team)
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            try await stores.delete(team.id, at: Instants.now)
            try await stores.write { try $0.purgeDeletedTeam(of: team.id) }
            #expect(try await stores.ballots.commitments(of: sprint.key, publishedNumber: .max).isEmpty)
        }
    }

    private func withSprint(
        _ kind: StoreUnderTest, members: Int, policy: PublicationPolicy,
        _ body: (Stores, Sprint, [Voter]) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(members, in: team)
            try await body(stores, try await stores.makeSprint(of: team, policy: policy), voters)
        }
    }
}
