package import Domain
package import Storage

extension StoreTransaction {
    /// Turns a registration into its account: uses up the token, stores the user and removes the
    /// registration.
    /// - Throws: `AppError.linkExpired` if the registration does not exist or `claim` names no valid token for it;
    ///   `AppError.conflict` (`name-taken`, `email-taken`). Then nothing has changed. If two requests confirm one
    ///   registration concurrently, one succeeds.
    package func confirmRegistration(_ id: Registration.ID, as user: User, claiming claim: TokenClaim) throws {
        guard let registration = try registration(id) else { throw AppError.linkExpired }
        try redeem(claim) { $0.isValid(for: registration, at: claim.now) }
        try deleteRegistration(id)
        try add(user)
    }
}
