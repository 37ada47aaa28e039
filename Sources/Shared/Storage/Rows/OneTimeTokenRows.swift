package import Domain
package import Foundation

/// Tokens of mailed links.
package protocol OneTimeTokenRows {
    /// `nil` unless there is one with this purpose that is unexpired at `now`.
    func token(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) throws -> OneTimeToken?

    /// All tokens of a subject, whatever the purpose, including expired ones until they are removed; ordered by expiry.
    func tokens(of subject: String) throws -> [OneTimeToken]
}

/// Changes of tokens, each atomic by itself or part of a transaction.
///
/// No call here uses up a token: the rule that performs the token's action does so in the same transaction
/// (`TokenClaim`).
package protocol OneTimeTokenWrites {
    /// Stores a new token; earlier ones of its subject stay valid.
    func insert(_ token: OneTimeToken) throws

    /// Deletes all of a subject's tokens with this purpose. Transactions that delete the same tokens take effect one
    /// after the other.
    func deleteTokens(purpose: OneTimeToken.Purpose, subject: String) throws
}

/// Quotas of mails and other requests.
package protocol QuotaWrites {
    /// Atomically takes one of `limit` places under a key within the `window` seconds before `now`.
    /// - Returns: false, taking nothing, if all places are taken.
    func takeQuota(_ key: [UInt8], limit: Int, window: TimeInterval, at now: Date) throws -> Bool
}
