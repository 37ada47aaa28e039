/// Users in a transaction.
package protocol UserRows {
    /// Makes transactions that lock the same user take effect one after the other.
    /// - Returns: whether the user exists.
    @discardableResult
    func lock(_ userID: User.ID) throws -> Bool

    /// Locks every enabled admin but this user.
    /// - Returns: their number.
    func lockAdmins(except userID: User.ID) throws -> Int

    /// `nil` if there is none.
    func user(_ id: User.ID) throws -> User?

    /// By name, ignoring case.
    func user(name: String) throws -> User?

    /// By e-mail address, ignoring case.
    func user(email: String) throws -> User?

    /// - Throws: `StorageError.duplicate` if the id, or the case-folded name or address, exists.
    func insert(_ user: User) throws

    /// Replaces the user with the same id.
    /// - Throws: `StorageError.duplicate` as `insert`.
    func update(_ user: User) throws

    /// Deletes the user, their memberships, sessions, devices, one-time tokens and external identities. Messages that
    /// they requested stay without their name.
    func delete(_ user: User) throws

    /// Replaces all absences of the user.
    func setAbsences(_ absences: [Absence], of userID: User.ID) throws
}

/// Receipts of accounts that are created or deleted, or get another address, in a transaction: one mailbox has one
/// ballot per sprint.
package protocol ReceiptRows {
    /// Replaces a deleted account's receipts by receipts for its address.
    func keepReceipts(of user: User, secret: BallotSecret) throws

    /// Replaces receipts for an address by receipts for its user when they join a team: an earlier account with the
    /// address may have voted in the team's open sprints.
    /// - Parameter teamID: `nil` means every team.
    func takeReceipts(of user: User, in teamID: Team.ID?, secret: BallotSecret) throws

    /// Adds receipts for a user's new address; the user's own receipts stay.
    func addReceipts(of user: User, secret: BallotSecret) throws
}

/// What was deleted at a person's request, in a transaction.
package protocol DeletionRows {
    /// Remembers a deletion. Does nothing if it is known.
    func insert(_ deletion: Deletion) throws
}
