package import Domain
package import Storage

extension RegistrationStore {
    /// Turns a registration into its account in one transaction: uses up the token, stores the user and removes the
    /// registration.
    /// - Throws: `AppError.linkExpired` if the registration does not exist or `claim` names no valid token for it;
    ///   `AppError.conflict` (`name-taken`, `email-taken`). Then nothing has changed. If two requests confirm one
    ///   registration concurrently, one succeeds.
    package func confirm(id: Registration.ID, as user: User, claiming claim: TokenClaim) async throws {
        try await transaction { rows in
            guard let registration = try rows.registration(id) else { throw AppError.linkExpired }
            try rows.redeem(claim) { $0.isValid(for: registration, at: claim.now) }
            try rows.delete(registration)
            try rows.add(user)
        }
    }
}
