import Crypto
import Foundation

/// What became of a delivery, counted by outcome.
///
/// A reminder goes to those who have not voted, so its counts tell how many these are, and those of a batch of one
/// tell it of one person. They are kept sealed, and shown after the sprint's close, when everything is published.
public struct DeliveryCounts: Hashable, Sendable, Encodable {
    /// Devices whose service has taken the message.
    public var accepted = 0
    /// People whose mail was handed over.
    public var mailed = 0
    /// Devices removed, since their service does not know them any more.
    public var removed = 0
    /// Devices and addresses that were refused for good.
    public var refused = 0
    /// Devices and people given up because their service failed too long.
    public var failed = 0

    /// Nothing sent yet.
    public init() {}

    /// Both together.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.accepted += right.accepted
        sum.mailed += right.mailed
        sum.removed += right.removed
        sum.refused += right.refused
        sum.failed += right.failed
        return sum
    }

    fileprivate init(bytes: Data) {
        let values = stride(from: 0, to: bytes.count, by: 4).map { start in
            bytes.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        guard values.count == 5 else { return }
        accepted = values[0]
        mailed = values[1]
        removed = values[2]
        refused = values[3]
        failed = values[4]
    }

    /// Of one length whatever the numbers are.
    fileprivate var bytes: Data {
        Data(
            [accepted, mailed, removed, refused, failed].flatMap { count in
                (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            })
    }
}

/// Counts as a store keeps them: nonce, ciphertext and tag of AES-256-GCM, of one length.
public struct SealedCounts: Hashable, Sendable {
    /// 48 bytes, another 48 each time.
    public let bytes: [UInt8]

    /// Bytes that a store gives back.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Seals counts under a key derived from `BALLOT_SECRET`: whoever has that can tell from the receipts who has voted,
/// and learns nothing from the counts that they could not know.
public struct CountsSeal: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: the installation's.
    public init(secret: BallotSecret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret.key, info: Data("happiness-metric delivery-counts".utf8), outputByteCount: 32)
    }

    /// Counts for this batch and no other.
    /// - Throws: a fault of the cryptography.
    public func seal(_ counts: DeliveryCounts, for batch: DeliveryBatch.Key) throws -> SealedCounts {
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(counts.bytes, using: key, nonce: nonce, authenticating: Self.context(batch))
        return SealedCounts(bytes: Array(nonce) + box.ciphertext + box.tag)
    }

    /// `nil` for what was sealed with another secret or for another batch.
    public func open(_ sealed: SealedCounts, of batch: DeliveryBatch.Key) -> DeliveryCounts? {
        // The one thing that can go wrong is said by `nil`.
        guard let box = try? AES.GCM.SealedBox(combined: sealed.bytes),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Self.context(batch))
        else { return nil }
        return DeliveryCounts(bytes: bytes)
    }

    private static func context(_ batch: DeliveryBatch.Key) -> Data {
        Data("\(batch.deliveryID)|\(batch.number)".utf8)
    }
}
