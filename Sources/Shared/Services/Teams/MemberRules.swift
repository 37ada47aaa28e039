package import Domain
package import Storage

extension StoreTransaction {
    /// Adds a member, counts them in `memberCount` and in `joined` of the team's open sprints, and makes the team the
    /// user's default if they have none. A vote that another account with their mailbox cast there counts
    /// as theirs (`Receipt`).
    /// - Parameter secret: the key for receipts.
    /// - Throws: `AppError.conflict` (`already-a-member`; `mailbox-in-team` for another member with the same mailbox),
    ///   `AppError.notFound` for an unknown team or user.
    package func add(_ membership: Membership, secret: BallotSecret) throws {
        let (userID, teamID) = (membership.userID, membership.teamID)
        guard try changeMemberCount(of: teamID, by: 1) else { throw AppError.noSuchTeam }
        // Locked, so that a user who is deleted at this moment leaves no membership behind.
        guard try lock(userID), var user = try user(userID) else { throw AppError.noSuchUser }
        guard try self.membership(of: userID, in: teamID) == nil else { throw AppError.alreadyAMember }
        let sharers = try sharers(ofMailboxOf: user, secret: secret)
        try requireNoMember(among: sharers, of: teamID)
        try insert(membership)
        if try user.defaultTeamID.flatMap({ try team($0) }) == nil {
            user.defaultTeamID = teamID
            try update(user)
        }
        try moveReceipts(from: .address(user.email), to: .user(userID), in: teamID, secret: secret)
        try takeReceipts(of: sharers, for: userID, in: teamID, secret: secret)
        try countJoined(in: teamID)
        try countPublication(of: teamID)
    }

    /// Changes a member's role if the caller may still decide that. If two leads are demoted or removed concurrently,
    /// one stays; if two leads demote each other, one demotion succeeds.
    /// - Parameters:
    ///   - old: the present role, as seen by the caller.
    ///   - caller: who decides.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.conflict` (`changed-meanwhile`) if their
    ///   role is not `old`, or the caller does not manage the team; `AppError.onlyLead` if the team would have no lead.
    ///   Then nothing has changed.
    package func setRole(
        _ role: Membership.Role, insteadOf old: Membership.Role, of userID: User.ID, in teamID: Team.ID,
        by caller: Caller
    ) throws {
        try lock(teamID)
        guard var member = try membership(of: userID, in: teamID) else { throw AppError.notInTeam }
        guard try member.role == old && isManager(caller, of: teamID) else { throw AppError.roleChanged }
        member.role = role
        try update(member)
        if old == .lead { try requireLead(of: teamID, .ofMembers) }
    }

    /// Removes a member and their place in `memberCount`. If it was their default team, another of their teams, or
    /// none, becomes the default; the team's actions assigned to them lose their assignee. If two leads remove each
    /// other concurrently, one stays.
    ///
    /// If another member has the same mailbox, they take over the receipts, and cannot vote once more.
    /// - Parameters:
    ///   - caller: who decides: the member, or a caller who manages the team.
    ///   - secret: the key for receipts.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.conflict` (`changed-meanwhile`) if the
    ///   caller does not manage the team; `AppError.onlyLead` if the user is its only lead, and must stay (`LastLeadRule`).
    ///   Then nothing has changed.
    package func removeMember(
        _ userID: User.ID, from teamID: Team.ID, by caller: Caller, secret: BallotSecret
    ) throws {
        try changeMemberCount(of: teamID, by: -1)
        guard let member = try membership(of: userID, in: teamID) else { throw AppError.notInTeam }
        guard try caller == .user(userID) || isManager(caller, of: teamID) else { throw AppError.roleChanged }
        try delete(member)
        if let user = try user(userID) { try handOverReceipts(of: user, in: teamID, secret: secret) }
        try releaseActions(of: userID, in: teamID)
        if member.role == .lead { try requireLead(of: teamID, LastLeadRule(removing: userID, by: caller)) }
        try replaceDefaultTeam(teamID, of: userID)
    }

    /// Whether the caller manages the team at this moment.
    private func isManager(_ caller: Caller, of teamID: Team.ID) throws -> Bool {
        guard let userID = caller.userID else { return true }
        return try membership(of: userID, in: teamID)?.role == .lead || user(userID)?.isActiveAdmin == true
    }

    /// For the end of a transaction that has locked the team.
    /// - Throws: `AppError.onlyLead` if the team no longer has the lead it must keep.
    private func requireLead(of teamID: Team.ID, _ kept: LastLeadRule) throws {
        guard try kept != .nobody && !hasMember(of: teamID, role: .lead) else { return }
        guard try kept == .ofMembers && !hasMember(of: teamID, role: nil) else { throw AppError.onlyLead }
    }

    /// Makes another of the user's teams the default if they have left this one. Locks the user, so that two removals
    /// do not each make the other's team the default.
    func replaceDefaultTeam(_ teamID: Team.ID, of userID: User.ID) throws {
        try lock(userID)
        guard var user = try user(userID), user.defaultTeamID == teamID else { return }
        let teams = try memberships(of: userID).compactMap { try team($0.teamID) }
        user.defaultTeamID = teams.min { UserName.folded($0.name) < UserName.folded($1.name) }?.id
        try update(user)
    }
}

/// When the only lead of a team cannot be removed.
enum LastLeadRule: Hashable, Sendable {
    /// Never: every lead can be removed.
    case nobody
    /// While the team has other members.
    case ofMembers
    /// Always, even if the team has no other members.
    case always

    /// The operator may remove anyone, and the last member of a team may leave it. But no other caller may remove a
    /// team's last member: then no member would be left to see who joins next. That holds even for a team without a
    /// past, because the result would otherwise reveal whether its lead has voted.
    init(removing userID: User.ID, by caller: Caller) {
        self =
            switch caller {
            case .operator: .nobody
            case .user(userID): .ofMembers
            case .user: .always
            }
    }
}

extension AppError {
    /// The user is a member of the team they would join.
    static let alreadyAMember = AppError(
        .conflict, "This user is already in the team.", reason: .alreadyAMember)
    /// Without this user the team's members, or what they left, would have no lead.
    static let onlyLead = AppError(
        .conflict,
        "This is the only lead of the team. Please make another member a lead first, or invite someone as a lead.",
        reason: .onlyLead)
    /// Another member has the same mailbox.
    static let mailboxInTeam = AppError(
        .conflict,
        "Another account with the same mailbox is already in the team. A mailbox can join a team once, under one of its "
            + "addresses.", reason: .mailboxInTeam)
    /// The roles that the decision was based on have changed.
    static let roleChanged = AppError(
        .conflict, "Roles in the team were changed at the same moment. Please check and try again.",
        reason: .changedMeanwhile)
    /// The user to be changed or removed is not in the team.
    static let notInTeam = AppError(.notFound, "This user isn’t in the team.", reason: .noSuchUser)
}
