package import Domain
package import Foundation

/// Tokens of mailed links in a transaction.
package protocol OneTimeTokenRows {
    /// `nil` unless there is one with this purpose that has not expired.
    func token(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) throws -> OneTimeToken?

    /// Deletes all of a subject's tokens with this purpose. Transactions that delete the same tokens take effect one
    /// after the other.
    func deleteTokens(purpose: OneTimeToken.Purpose, subject: String) throws
}

/// Pending invitations in a transaction.
package protocol InvitationRows {
    /// `nil` if there is none.
    func invitation(_ id: Invitation.ID) throws -> Invitation?

    /// The invitation of an address, ignoring case, to a team, or to the installation alone (`nil`).
    func invitation(email: String, teamID: Team.ID?) throws -> Invitation?

    /// All pending invitations to the team.
    func invitationIDs(of teamID: Team.ID) throws -> [Invitation.ID]

    /// - Throws: `StorageError.duplicate` if the id, or the address for the team, exists.
    func insert(_ invitation: Invitation) throws

    /// Replaces day and sender.
    func update(_ invitation: Invitation) throws

    /// Deletes the invitation.
    func delete(_ invitation: Invitation) throws
}

/// Unconfirmed registrations in a transaction.
package protocol RegistrationRows {
    /// `nil` if there is none.
    func registration(_ id: Registration.ID) throws -> Registration?

    /// Deletes the registration.
    func delete(_ registration: Registration) throws
}

/// Users' identities at OpenID providers in a transaction.
package protocol ExternalIdentityRows {
    /// Whether a user has this identity.
    func contains(_ identity: ExternalIdentity) throws -> Bool

    /// - Throws: `StorageError.duplicate` if it exists.
    func insert(_ identity: ExternalIdentity) throws
}

/// Sessions in a transaction. Devices that were registered in a session are deleted with it.
package protocol SessionRows {
    /// Makes transactions that lock or end the same session take effect one after the other.
    /// - Returns: whether it exists and belongs to the user.
    @discardableResult
    func lock(_ sessionID: Session.ID, of userID: User.ID) throws -> Bool

    /// - Throws: `StorageError.duplicate` if the id exists.
    func insert(_ session: Session) throws

    /// Deletes all sessions of the user, or all but one.
    func endSessions(of userID: User.ID, except kept: Session.ID?) throws

    /// Deletes the least recently used sessions of the user until `count` are left.
    func endOldestSessions(of userID: User.ID, keeping count: Int) throws
}
