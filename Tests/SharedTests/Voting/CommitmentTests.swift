import BigInt
import Commitments
import Crypto
import Testing

/// Commitments to values: they can be added and opened, and nothing else opens them.
@Suite struct CommitmentTests {
    /// The order of P-256 (SEC 2, §2.4.2).
    private static let order =
        BigUInt("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", radix: 16) ?? 0

    private static func number(_ randomness: BlindingFactor) -> BigUInt {
        randomness.bytes.reduce(0) { $0 << 8 | BigUInt($1) }
    }

    private static func bytes(_ number: BigUInt) -> [UInt8] {
        (0..<32).reversed().map { UInt8(truncatingIfNeeded: Int((number >> (8 * $0)) & 0xff)) }
    }

    private struct Vote {
        let value: Int
        let randomness = BlindingFactor.random()
        var commitment: Commitment { Commitment(to: value, with: randomness) }
    }

    private let votes = (0..<100).map { _ in Vote(value: .random(in: 0...100)) }
    private var commitments: [Commitment] { votes.map(\.commitment) }
    private var sum: Int { votes.map(\.value).reduce(0, +) }
    private var randomness: BlindingFactor { votes.map(\.randomness).reduce(.zero, +) }

    @Test func `Blinding factors are added modulo the order`() throws {
        let highest = try #require(BlindingFactor(Self.bytes(Self.order - 1)))
        let one = try #require(BlindingFactor(Self.bytes(1)))
        #expect(highest + one == .zero)
        #expect(Self.number(highest + highest) == Self.order - 2)
        for _ in 0..<1_000 {
            let (first, second) = (BlindingFactor.random(), BlindingFactor.random())
            #expect(Self.number(first + second) == (Self.number(first) + Self.number(second)) % Self.order)
        }
    }

    @Test func `A blinding factor has 32 bytes and is below the order`() {
        #expect(BlindingFactor(Self.bytes(Self.order)) == nil)
        #expect(BlindingFactor(Self.bytes(Self.order + 1)) == nil)
        #expect(BlindingFactor(Array(repeating: UInt8.max, count: 32)) == nil)
        #expect(BlindingFactor(Array(repeating: 0, count: 31)) == nil)
        #expect(BlindingFactor(Array(repeating: 0, count: 33)) == nil)
        #expect(BlindingFactor(Array(repeating: 0, count: 32)) == .zero)
    }

    /// Another library multiplies the generator.
    @Test func `A commitment to zero is the public key of its randomness`() throws {
        for _ in 0..<50 {
            let randomness = BlindingFactor.random()
            let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: randomness.bytes)
            #expect(Commitment(to: 0, with: randomness).bytes == Array(key.publicKey.compressedRepresentation))
        }
    }

    /// Computed with Python.
    @Test func `H is derived from its text`() throws {
        let one = try #require(BlindingFactor(Self.bytes(1)))
        let x = BigUInt("37f5179e99c9f63a0d6ad6aa44e03b8560b00a57d4dac7e67706f7f1dd9ab7a5", radix: 16) ?? 0
        let generator = try P256.KeyAgreement.PrivateKey(rawRepresentation: one.bytes).publicKey
        // H + G - G.
        var negative = Array(generator.compressedRepresentation)
        negative[0] ^= 1
        let h = Commitment(stored: [2] + Self.bytes(x))
        #expect(
            Commitment.areOpened(
                [h, Commitment(stored: Array(generator.compressedRepresentation))], by: 1, randomness: one))
        #expect(
            Commitment.areOpened(
                [Commitment(to: 1, with: one), Commitment(stored: negative), h], by: 2, randomness: .zero))
    }

    @Test func `All commitments together are opened by the sums`() {
        #expect(Commitment.areOpened(commitments, by: sum, randomness: randomness))
        #expect(Commitment.areOpened([], by: 0, randomness: .zero))
        #expect(Commitment(to: sum, with: randomness).bytes.count == Commitment.length)
    }

    @Test func `Nothing else opens them`() throws {
        let (commitments, sum, randomness) = (commitments, sum, randomness)
        let other = Vote(value: 50).commitment
        var changed = commitments[0].bytes
        changed[5] ^= 1
        let isOpened = { Commitment.areOpened($0, by: sum, randomness: randomness) }
        #expect(!Commitment.areOpened(commitments, by: sum + 1, randomness: randomness), "a changed value")
        #expect(!Commitment.areOpened(commitments, by: sum, randomness: randomness + .random()))
        #expect(!isOpened(Array(commitments.dropFirst())), "a dropped one")
        #expect(!isOpened(commitments + [other]), "an invented one")
        #expect(!isOpened(commitments.dropFirst() + [other]), "a swapped one")
        #expect(!isOpened(commitments.dropFirst() + [Commitment(stored: changed)]), "a broken one")
        #expect(!isOpened(commitments.dropFirst() + [Commitment(stored: [])]))
    }

    @Test func `Equal and opposite commitments can be added`() throws {
        let vote = Vote(value: 70)
        var negative = vote.commitment.bytes
        negative[0] ^= 1
        let twice = vote.randomness + vote.randomness
        #expect(Commitment.areOpened([vote.commitment, vote.commitment], by: 140, randomness: twice))
        #expect(Commitment.areOpened([vote.commitment, Commitment(stored: negative)], by: 0, randomness: .zero))
    }
}
