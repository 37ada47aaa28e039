import Domain
import Storage

extension Store {
    /// The token that a claim would use at present; `nil` if there is none. Changes nothing.
    func token(_ claim: TokenClaim) async throws -> OneTimeToken? {
        try await read { try $0.token(hash: claim.hash, purpose: claim.purpose, at: claim.now) }
    }
}

extension StoreTransaction {
    /// Uses up a token and all others of its purpose and subject.
    /// - Parameter isValid: whether the token is valid for its user, registration or invitation.
    /// - Throws: `AppError.linkExpired` if the token does not exist or is not valid.
    func redeem(_ claim: TokenClaim, if isValid: (OneTimeToken) throws -> Bool) throws {
        guard let token = try token(hash: claim.hash, purpose: claim.purpose, at: claim.now), try isValid(token) else {
            throw AppError.linkExpired
        }
        try deleteTokens(purpose: token.purpose, subject: token.subject)
    }
}
