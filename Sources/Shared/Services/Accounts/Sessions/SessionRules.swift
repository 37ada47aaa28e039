package import Domain
package import Storage

extension StoreTransaction {
    /// Stores a new session. If the user already has `Session.maximumPerUser`, the least recently used ones end,
    /// by day of use and then by expiry; concurrent calls do not exceed the limit either.
    /// - Parameter claim: the token that permits the login and is used up with it, if there is one.
    /// - Throws: `AppError.notFound` if there is no such user; `AppError.linkExpired` if `claim` names no valid token
    ///   for them. Then nothing has changed.
    package func add(_ session: Session, claiming claim: TokenClaim? = nil) throws {
        // Locked: of two sessions that begin at this moment, the second one sees the first; a user who is deleted
        // leaves no session behind.
        guard try lock(session.userID), let user = try user(session.userID) else { throw AppError.noSuchUser }
        if let claim { try redeem(claim) { $0.isValid(for: user) } }
        try endOldestSessions(of: user.id, keeping: Session.maximumPerUser - 1)
        try insert(session)
    }
}
