package import Domain

/// Stores pending invitations; accepted and withdrawn ones are removed. Every call may also throw
/// `StorageError.unavailable`.
package protocol InvitationStore: TransactionalStore {
    /// `nil` if there is none.
    func find(id: Invitation.ID) async throws -> Invitation?

    /// All invitations of an address, case-folded; ordered by id.
    func list(email: String) async throws -> [Invitation]

    /// All invitations that a user created or last sent; ordered by id.
    func list(inviterID: User.ID) async throws -> [Invitation]

    /// Ordered by `Position`.
    /// - Parameters:
    ///   - teamID: `nil` means all.
    ///   - inviterID: only those that this user created or last sent; `nil` means all.
    ///   - after: the position of the previous page's last invitation.
    func list(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) async throws -> [Invitation]

    /// - Returns: false if there was none.
    func delete(id: Invitation.ID) async throws -> Bool

    /// Removes invitations last sent before `day`.
    func deleteExpired(before day: CalendarDay) async throws
}

extension InvitationStore {
    /// Invitations by all users, one page at a time.
    package func list(teamID: Team.ID?, after: Invitation.Position?, limit: Int) async throws -> [Invitation] {
        try await list(teamID: teamID, inviterID: nil, after: after, limit: limit)
    }
}
