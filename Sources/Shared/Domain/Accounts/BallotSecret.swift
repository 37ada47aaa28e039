package import Crypto
import Foundation

/// The key of all receipts, of the feedback and ballot keys of running sprints, of who supports an action, and of the
/// list of deletions. Kept apart from the data, and never part of its backups.
package struct BallotSecret: Sendable {
    package let key: SymmetricKey
    /// Which addresses get one receipt. Not secret, but needed to make a receipt.
    package let subaddressing: Subaddressing
    /// Encrypts feedback.
    let feedbackKey: SymmetricKey
    /// Hashes what was deleted.
    let deletionKey: SymmetricKey
    /// Authenticates the list of deletions.
    let deletionListKey: SymmetricKey
    /// Encrypts private ballot keys.
    let wrappingKey: SymmetricKey
    /// Marks who supports an action.
    let supportKey: SymmetricKey

    /// - Parameter key: at least 32 bytes (`Secrets` ensures it).
    package init(key: SymmetricKey, subaddressing: Subaddressing = .plus) {
        self.key = key
        self.subaddressing = subaddressing
        feedbackKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric feedback".utf8), outputByteCount: 32)
        deletionKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric deletions".utf8), outputByteCount: 32)
        deletionListKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric list of deletions".utf8), outputByteCount: 32)
        wrappingKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric ballot keys".utf8), outputByteCount: 32)
        supportKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric support of actions".utf8), outputByteCount: 32)
    }
}
