package import Domain

/// Pending invitations; accepted and withdrawn ones are removed.
package protocol InvitationRows {
    /// `nil` if there is none.
    func invitation(_ id: Invitation.ID) throws -> Invitation?

    /// The invitation of an address, ignoring case, to a team, or to the installation alone (`nil`).
    func invitation(email: String, teamID: Team.ID?) throws -> Invitation?

    /// All invitations of an address, case-folded; ordered by id.
    func invitations(email: String) throws -> [Invitation]

    /// All invitations that a user created or last sent; ordered by id.
    func invitations(by inviterID: User.ID) throws -> [Invitation]

    /// All pending invitations to the team.
    func invitationIDs(of teamID: Team.ID) throws -> [Invitation.ID]

    /// Ordered by `Position`.
    /// - Parameters:
    ///   - teamID: `nil` means all.
    ///   - inviterID: only those that this user created or last sent; `nil` means all.
    ///   - after: the position of the previous page's last invitation.
    func invitations(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) throws -> [Invitation]
}

/// Changes of invitations, each atomic by itself or part of a transaction.
package protocol InvitationWrites {
    /// - Returns: false if there was none.
    @discardableResult
    func deleteInvitation(_ id: Invitation.ID) throws -> Bool
}

/// Changes of invitations in a transaction.
package protocol InvitationChanges {
    /// - Throws: `StorageError.duplicate` if the id, or the address for the team, exists.
    func insert(_ invitation: Invitation) throws

    /// Replaces day and sender.
    func update(_ invitation: Invitation) throws
}
