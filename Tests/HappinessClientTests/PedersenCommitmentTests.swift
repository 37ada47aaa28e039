import Commitments
import Crypto
import Foundation
import TestSupport
import Testing

@testable import HappinessClient

/// The client's commitments against the server's, which OpenSSL computes.
@Suite struct PedersenCommitmentTests {
    private static func random() throws -> (value: Int, randomness: Data, onServer: BlindingFactor) {
        let bytes = PedersenCommitment.newRandomness()
        return (.random(in: 0...100), bytes, try #require(BlindingFactor(bytes)))
    }

    @Test(.thorough) func `Client and server commit alike`() throws {
        for _ in 0..<50 {
            let (value, randomness, onServer) = try Self.random()
            let commitment = try #require(PedersenCommitment.commit(to: value, randomness: randomness))
            #expect(Array(commitment) == Commitment(to: value, with: onServer).bytes)
        }
        let high = try Self.random()
        #expect(
            PedersenCommitment.commit(to: 10_000_000, randomness: high.randomness).map(Array.init)
                == Commitment(to: 10_000_000, with: high.onServer).bytes)
    }

    @Test(.thorough) func `Sums of the server open for the client, and nothing else does`() throws {
        let votes = try (0..<100).map { _ in try Self.random() }
        let commitments = votes.map { Data(Commitment(to: $0.value, with: $0.onServer).bytes) }
        let sum = votes.map(\.value).reduce(0, +)
        let randomness = Data(votes.map(\.onServer).reduce(.zero, +).bytes)
        #expect(PedersenCommitment.areOpened(commitments, by: sum, randomness: randomness))
        #expect(PedersenCommitment.areOpened([], by: 0, randomness: Data(count: 32)))
        #expect(!PedersenCommitment.areOpened(commitments, by: sum + 1, randomness: randomness))
        #expect(!PedersenCommitment.areOpened(Array(commitments.dropFirst()), by: sum, randomness: randomness))
        #expect(!PedersenCommitment.areOpened(commitments, by: sum, randomness: PedersenCommitment.newRandomness()))
        #expect(!PedersenCommitment.areOpened(commitments + [Data(count: 33)], by: sum, randomness: randomness))
        #expect(!PedersenCommitment.areOpened(commitments, by: sum, randomness: Data(repeating: 255, count: 32)))
        #expect(!PedersenCommitment.areOpened(commitments, by: -1, randomness: randomness))
    }

    @Test func `Equal and opposite points are added`() throws {
        let (value, _, onServer) = try Self.random()
        let commitment = Commitment(to: value, with: onServer).bytes
        var opposite = commitment
        opposite[0] ^= 1
        #expect(
            PedersenCommitment.areOpened(
                [Data(commitment), Data(commitment)], by: 2 * value, randomness: Data((onServer + onServer).bytes)))
        #expect(PedersenCommitment.areOpened([Data(commitment), Data(opposite)], by: 0, randomness: Data(count: 32)))
    }
}
