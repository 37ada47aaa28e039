package import Domain
package import Foundation

/// Stores one-time tokens and the mail quotas of accounts. Every call may also throw `StorageError.unavailable`.
///
/// No call here uses up a token: the store that performs the token's action does so in the same transaction
/// (`TokenClaim`).
package protocol OneTimeTokenStore: Sendable {
    /// Stores a new token; earlier ones of its subject stay valid.
    func insert(_ token: OneTimeToken) async throws

    /// The token, if it exists, has this purpose and is unexpired at `now`; otherwise `nil`. Changes nothing.
    func find(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) async throws -> OneTimeToken?

    /// All tokens of a subject, whatever the purpose, including expired ones until they are removed; ordered by expiry.
    func list(subject: String) async throws -> [OneTimeToken]

    /// Removes the tokens of a subject whose action is done or withdrawn.
    func deleteAll(purpose: OneTimeToken.Purpose, subject: String) async throws

    /// Removes tokens that expired before `instant`, and quota entries more than a day older than it.
    func deleteExpired(before instant: Date) async throws

    /// Atomically takes one of `limit` places under a key within the `window` seconds before `now`.
    /// - Returns: false, taking nothing, if all places are taken.
    func takeQuota(key: [UInt8], limit: Int, window: TimeInterval, at now: Date) async throws -> Bool
}
