import Crypto
import Foundation

/// The results of a delivery, counted by outcome.
///
/// A reminder is sent to members who have not voted, so its counts reveal their number, and those of a batch with one
/// member reveal it of that member. They are stored encrypted, and shown after the sprint's close, when everything is
/// published.
package struct DeliveryCounts: Hashable, Sendable, Encodable {
    /// Devices whose service has accepted the message.
    package var accepted = 0
    /// Members whose mail was sent.
    package var mailed = 0
    /// Devices removed because their service no longer knows them.
    package var removed = 0
    /// Devices and addresses rejected permanently.
    package var refused = 0
    /// Devices and members abandoned because their service failed too long.
    package var failed = 0

    /// Starts with all counts at zero.
    package init() {}

    /// Adds both outcomes by outcome.
    package static func + (left: Self, right: Self) -> Self {
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

    /// The length is constant, whatever the numbers.
    fileprivate var bytes: Data {
        Data(
            [accepted, mailed, removed, refused, failed].flatMap { count in
                (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            })
    }
}

/// Counts as a store keeps them: nonce, ciphertext and tag of AES-256-GCM, of constant length.
package struct SealedCounts: Hashable, Sendable {
    /// 48 bytes, different each time.
    package let bytes: [UInt8]

    /// Wraps bytes read from a store.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Encrypts counts under a key derived from `BALLOT_SECRET`: with that secret, receipts show who has voted, so the
/// counts reveal nothing more.
package struct CountsSeal: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: the installation's ballot secret.
    package init(secret: BallotSecret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret.key, info: Data("happiness-metric delivery-counts".utf8), outputByteCount: 32)
    }

    /// Encrypts counts for this batch and no other.
    /// - Throws: an error of the cryptography library.
    package func seal(_ counts: DeliveryCounts, for batch: DeliveryBatch.Key) throws -> SealedCounts {
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(counts.bytes, using: key, nonce: nonce, authenticating: Self.context(batch))
        return SealedCounts(bytes: Array(nonce) + box.ciphertext + box.tag)
    }

    /// `nil` for counts encrypted with another secret or for another batch.
    package func open(_ sealed: SealedCounts, of batch: DeliveryBatch.Key) -> DeliveryCounts? {
        // `nil` covers the only possible error.
        guard let box = try? AES.GCM.SealedBox(combined: sealed.bytes),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Self.context(batch))
        else { return nil }
        return DeliveryCounts(bytes: bytes)
    }

    private static func context(_ batch: DeliveryBatch.Key) -> Data {
        Data("\(batch.deliveryID)|\(batch.number)".utf8)
    }
}
