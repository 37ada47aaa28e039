import Crypto
import Foundation

/// The members of a batch whose mail was begun and is not settled, as a store keeps them: nonce, ciphertext and tag of
/// AES-256-GCM, of constant length.
package struct SealedPending: Hashable, Sendable {
    /// Different each time.
    package let bytes: [UInt8]

    /// Wraps bytes read from a store.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Encrypts these members under a key derived from `BALLOT_SECRET`: with that secret, receipts show who has voted, so the
/// list reveals nothing more. Without it, not even the number of members shows.
package struct PendingSeal: Sendable {
    /// Maximum number of members: those of a batch, unless many joined since it was created.
    package static let capacity = 512
    private static let idLength = 16

    private let key: SymmetricKey

    /// - Parameter secret: the installation's ballot secret.
    package init(secret: BallotSecret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret.key, info: Data("happiness-metric pending-members".utf8), outputByteCount: 32)
    }

    /// Encrypts the members for this batch and no other.
    /// - Parameter members: at most `capacity`.
    /// - Throws: an error of the cryptography library.
    package func seal(_ members: [User.ID], for batch: DeliveryBatch.Key) throws -> SealedPending {
        let kept = members.prefix(Self.capacity)
        var bytes = [UInt8(kept.count >> 8), UInt8(kept.count & 255)]
        for id in kept { bytes += Self.bytes(of: id) }
        bytes += [UInt8](repeating: 0, count: 2 + Self.capacity * Self.idLength - bytes.count)
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(Data(bytes), using: key, nonce: nonce, authenticating: Self.context(batch))
        return SealedPending(bytes: Array(nonce) + box.ciphertext + box.tag)
    }

    /// `nil` for members encrypted with another secret or for another batch.
    package func open(_ sealed: SealedPending, of batch: DeliveryBatch.Key) -> [User.ID]? {
        // `nil` covers the only possible error.
        guard let box = try? AES.GCM.SealedBox(combined: sealed.bytes),
            let data = try? AES.GCM.open(box, using: key, authenticating: Self.context(batch))
        else { return nil }
        let bytes = Array(data)
        guard bytes.count == 2 + Self.capacity * Self.idLength else { return nil }
        let count = min(Int(bytes[0]) << 8 | Int(bytes[1]), Self.capacity)
        return (0..<count).compactMap { number in
            User.ID(bytes.dropFirst(2 + number * Self.idLength).prefix(Self.idLength).hexadecimal)
        }
    }

    private static func bytes(of id: User.ID) -> [UInt8] {
        // An identifier has no other digits.
        [UInt8](hexadecimal: id.description) ?? []
    }

    private static func context(_ batch: DeliveryBatch.Key) -> Data {
        Data("\(batch.deliveryID)|\(batch.number)".utf8)
    }
}
