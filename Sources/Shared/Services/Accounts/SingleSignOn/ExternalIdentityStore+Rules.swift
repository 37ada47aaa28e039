package import Domain
package import Storage

extension ExternalIdentityStore {
    /// Stores an identity of a user.
    /// - Parameter job: enqueued in the same transaction, without a dedupe key: the notification mail.
    /// - Throws: `AppError.conflict` (`identity-taken`) if a user already has this identity; `AppError.notFound` if
    ///   there is no such user. Then nothing has changed.
    package func insert(_ identity: ExternalIdentity, enqueueing job: Job?) async throws {
        try await transaction { rows in
            // Locked, so that a user who is deleted at this moment leaves no identity behind.
            guard try rows.lock(identity.userID) else { throw AppError.noSuchUser }
            guard try !rows.contains(identity) else { throw AppError.identityTaken }
            try rows.insert(identity)
            if let job { try rows.insert([job]) }
        }
    }

    /// Stores an identity without a notification.
    package func insert(_ identity: ExternalIdentity) async throws {
        try await insert(identity, enqueueing: nil)
    }
}

extension AppError {
    /// A user already has this identity.
    static let identityTaken = AppError(
        .conflict, "This log-in already belongs to an account.", reason: .identityTaken)
}
