import Commitments
import Domain

/// A commitment as a store keeps it: the bytes of the commitment, and random ones.
///
/// Both stores keep them in the order of these bytes, which says nothing about when a ballot came. Two ballots can have
/// the same commitment, if their voters' devices want it so; the random bytes keep them apart.
struct StoredCommitment: Hashable, Sendable {
    let bytes: [UInt8]
    /// The number of the snapshot that its ballot is part of.
    let snapshot: Int

    private static let randomLength = 8

    init(_ commitment: Commitment, snapshot: Int) {
        bytes = commitment.bytes + SecureBytes.random(count: Self.randomLength)
        self.snapshot = snapshot
    }

    /// The commitment in stored bytes.
    static func commitment(in bytes: [UInt8]) -> Commitment {
        Commitment(stored: Array(bytes.prefix(Commitment.length)))
    }
}
