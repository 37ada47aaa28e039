package import Domain

/// Users' identities at OpenID providers.
package protocol ExternalIdentityRows {
    /// `nil` if no user has this identity.
    func identity(issuer: String, subject: String) throws -> ExternalIdentity?

    /// A user's identities, ordered by issuer and subject.
    func identities(of userID: User.ID) throws -> [ExternalIdentity]
}

/// Changes of identities in a transaction.
package protocol ExternalIdentityChanges {
    /// - Throws: `StorageError.duplicate` if it exists.
    func insert(_ identity: ExternalIdentity) throws

    /// Replaces the mark of an identity (`ExternalIdentity.emailMark`), if it exists.
    func setEmailMark(_ mark: String, ofIssuer issuer: String, subject: String) throws

    /// Removes all identities of a user.
    func deleteIdentities(of userID: User.ID) throws
}
