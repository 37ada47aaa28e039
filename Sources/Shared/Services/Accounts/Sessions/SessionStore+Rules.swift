package import Domain
package import Storage

extension SessionStore {
    /// Stores a new session. If the user already has `Session.maximumPerUser`, the least recently used ones end in the
    /// same transaction, by day of use and then by expiry; concurrent calls do not exceed the limit either.
    /// - Parameter claim: the token that permits the login and is used up with it, if there is one.
    /// - Throws: `AppError.notFound` if there is no such user; `AppError.linkExpired` if `claim` names no valid token
    ///   for them. Then nothing has changed.
    package func insert(_ session: Session, claiming claim: TokenClaim?) async throws {
        try await transaction { rows in
            // Locked: of two sessions that begin at this moment, the second one sees the first; a user who is deleted
            // leaves no session behind.
            guard try rows.lock(session.userID), let user = try rows.user(session.userID) else {
                throw AppError.noSuchUser
            }
            if let claim { try rows.redeem(claim) { $0.isValid(for: user) } }
            try rows.endOldestSessions(of: user.id, keeping: Session.maximumPerUser - 1)
            try rows.insert(session)
        }
    }

    /// Stores a new session that uses up no token.
    package func insert(_ session: Session) async throws {
        try await insert(session, claiming: nil)
    }
}
