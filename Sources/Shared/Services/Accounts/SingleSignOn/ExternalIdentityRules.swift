package import Domain
package import Storage

extension StoreTransaction {
    /// Stores an identity of a user.
    /// - Parameter job: enqueued with it, without a dedupe key: the notification mail.
    /// - Throws: `AppError.conflict` (`identity-taken`) if a user already has this identity; `AppError.notFound` if
    ///   there is no such user. Then nothing has changed.
    package func add(_ identity: ExternalIdentity, enqueueing job: Job? = nil) throws {
        // Locked, so that a user who is deleted at this moment leaves no identity behind.
        guard try lock(identity.userID) else { throw AppError.noSuchUser }
        guard try self.identity(issuer: identity.issuer, subject: identity.subject) == nil else {
            throw AppError.identityTaken
        }
        try insert(identity)
        if let job { try insert([job]) }
    }
}

extension AppError {
    /// A user already has this identity.
    static let identityTaken = AppError(
        .conflict, "This log-in already belongs to an account.", reason: .identityTaken)
}
