import Domain
import Storage

/// One mailbox joins a team once, and has one ballot in a sprint, however many accounts it has.
extension StoreTransaction {
    /// The other users whose addresses reach the mailbox of a user, ordered by id.
    func sharers(ofMailboxOf user: User, secret: BallotSecret) throws -> [User] {
        let mailbox = secret.subaddressing.mailbox(of: user.email)
        return try users(near: mailbox)
            .filter { $0.id != user.id && secret.subaddressing.mailbox(of: $0.email) == mailbox }
            .sorted { $0.id < $1.id }
    }

    /// For a transaction that has locked the team, or else two could join at once.
    /// - Throws: `AppError.mailboxInTeam` if one of them is a member.
    func requireNoMember(among sharers: [User], of teamID: Team.ID) throws {
        for sharer in sharers {
            guard try membership(of: sharer.id, in: teamID) == nil else { throw AppError.mailboxInTeam }
        }
    }

    /// Gives a member the receipts of accounts with the same mailbox, which are not in the team, but may have been.
    func takeReceipts(
        of sharers: [User], for userID: User.ID, in teamID: Team.ID, secret: BallotSecret
    ) throws {
        for sharer in sharers {
            try moveReceipts(from: .user(sharer.id), to: .user(userID), in: teamID, secret: secret)
        }
    }

    /// Gives the receipts of a user who has left a team to another member with the same mailbox, if there is one.
    func handOverReceipts(of user: User, in teamID: Team.ID, secret: BallotSecret) throws {
        guard let heir = try heir(of: user, in: teamID, secret: secret) else { return }
        try moveReceipts(from: .user(user.id), to: .user(heir), in: teamID, secret: secret)
    }

    /// Adjusts the receipts of a user whose address changes to another mailbox: the old one and the new one have voted
    /// where the user has. Call it before the change is stored.
    ///
    /// Who has proven that the new mailbox is theirs takes over its receipts. An administrator proves nothing: they
    /// could give an account of theirs the mailbox of a person whom they have removed from the team, and see whether
    /// that person has voted. Nor does a provider prove anything, which has administrators too. The account can still
    /// vote only once, for the mailbox with which it has joined.
    /// - Parameters:
    ///   - updated: the user with the new address.
    ///   - isProven: whether a link that was mailed to the new address was used.
    /// - Throws: `AppError.mailboxInTeam` if the new mailbox is in one of the user's teams.
    func changeMailbox(of user: User, to updated: User, isProven: Bool, secret: BallotSecret) throws {
        let subaddressing = secret.subaddressing
        guard subaddressing.mailbox(of: user.email) != subaddressing.mailbox(of: updated.email) else { return }
        let teams = try memberships(of: user.id).map(\.teamID)
        let sharers = try sharers(ofMailboxOf: updated, secret: secret)
        for teamID in teams {
            try lock(teamID)
            try requireNoMember(among: sharers, of: teamID)
        }
        // Before the user takes over others: those of the new mailbox do not count for the old one.
        let own = ReceiptHolder.user(user.id)
        for teamID in teams {
            // Hidden, since the change itself can be seen: an account keeps the day on which an administrator has set
            // its address, and a job is there for two days.
            try copyReceipts(from: own, to: .address(user.email), in: teamID, isHidden: true, secret: secret)
            guard let heir = try heir(of: user, in: teamID, secret: secret) else { continue }
            try copyReceipts(from: own, to: .user(heir), in: teamID, isHidden: true, secret: secret)
        }
        // In teams that the user has left.
        try copyReceipts(from: own, to: .address(user.email), in: nil, isHidden: false, secret: secret)
        guard isProven else { return }
        try moveReceipts(from: .address(updated.email), to: .user(user.id), in: nil, secret: secret)
        for teamID in teams { try takeReceipts(of: sharers, for: user.id, in: teamID, secret: secret) }
    }

    /// Another member with the user's mailbox.
    private func heir(of user: User, in teamID: Team.ID, secret: BallotSecret) throws -> User.ID? {
        try sharers(ofMailboxOf: user, secret: secret)
            .first { try membership(of: $0.id, in: teamID) != nil }?.id
    }
}
