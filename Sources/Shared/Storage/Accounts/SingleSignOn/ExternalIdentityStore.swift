package import Domain

/// Stores external identities. Every call may also throw `StorageError.unavailable`.
package protocol ExternalIdentityStore: TransactionalStore {
    /// `nil` if no user has this identity.
    func find(issuer: String, subject: String) async throws -> ExternalIdentity?

    /// A user's identities, ordered by issuer and subject.
    func list(userID: User.ID) async throws -> [ExternalIdentity]
}
