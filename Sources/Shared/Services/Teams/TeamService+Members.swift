package import Domain
import Storage

/// A member of a team with their account.
package struct TeamMember: Hashable, Sendable {
    /// The account.
    package let user: User
    /// The permissions in the team.
    package let role: Membership.Role

    /// Combines an account with its membership.
    package init(user: User, role: Membership.Role) {
        self.user = user
        self.role = role
    }
}

/// Members by id, for the pages and the API.
extension TeamService {
    /// Like `members`, with their accounts, ordered by name.
    /// - Throws: `AppError.notFound`.
    package func people(of teamID: Team.ID, by caller: Caller) async throws -> [TeamMember] {
        try await withAccounts(members(of: teamID, by: caller))
            .sorted { UserName.folded($0.user.shownName) < UserName.folded($1.user.shownName) }
    }

    /// Default number of members per page.
    package static let memberPageSize = 50
    /// Maximum number of members per page.
    package static let maximumMemberPageSize = 200

    /// The same members ordered by id, one page at a time: the number of other members does not matter.
    /// - Parameters:
    ///   - after: the last member of the previous page.
    ///   - limit: clamped to 1...`maximumMemberPageSize`.
    /// - Returns: the page, and the `after` of the next one; `nil` on the last one.
    /// - Throws: `AppError.notFound`.
    package func people(
        of teamID: Team.ID, after: User.ID?, limit: Int = memberPageSize, by caller: Caller
    ) async throws -> (people: [TeamMember], nextAfter: User.ID?) {
        let limit = min(max(limit, 1), Self.maximumMemberPageSize)
        switch try await visibleMembers(of: teamID, to: caller) {
        case .own(let own):
            let isBefore = after.map { own.userID <= $0 } ?? false
            return (people: isBefore ? [] : try await withAccounts([own]), nextAfter: nil)
        case .all:
            // One more than needed shows whether there is another page.
            let found = try await store.read { try $0.members(of: teamID, after: after, limit: limit + 1) }
            let page = Array(found.prefix(limit))
            return (
                people: try await withAccounts(page), nextAfter: found.count > limit ? page.last?.userID : nil
            )
        }
    }

    /// The same members ordered by name, one page at a time.
    /// - Parameters:
    ///   - search: words of the shown name or the user name (`NameSearch`); blank means all. Not of the e-mail address,
    ///     which the others in a team do not see: one letter after the other would reveal it.
    ///   - after: the position of the last member of the previous page.
    ///   - limit: clamped to 1...`maximumMemberPageSize`.
    /// - Returns: the page, and the `after` of the next one; `nil` on the last one.
    /// - Throws: `AppError.notFound`.
    package func people(
        of teamID: Team.ID, matching search: String, after: MemberPosition?, limit: Int = memberPageSize,
        by caller: Caller
    ) async throws -> (people: [TeamMember], nextAfter: MemberPosition?) {
        let limit = min(max(limit, 1), Self.maximumMemberPageSize)
        switch try await visibleMembers(of: teamID, to: caller) {
        case .own(let own):
            // A list of one person has neither pages nor a search.
            return (people: after == nil ? try await withAccounts([own]) : [], nextAfter: nil)
        case .all:
            let found = try await store.read {
                try $0.members(of: teamID, matching: NameSearch(search), after: after, limit: limit + 1)
            }
            let page = found.prefix(limit).map { TeamMember(user: $0.user, role: $0.role) }
            return (people: page, nextAfter: found.count > limit ? page.last.map { MemberPosition($0.user) } : nil)
        }
    }

    /// Groups of members with one mailbox, who together have one ballot in a sprint, for those who manage the team and see
    /// its members. Empty unless they joined before that was rejected.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func sharedMailboxes(of teamID: Team.ID, by caller: Caller) async throws -> [[User]] {
        try await requireManager(caller, of: teamID)
        guard case .all = try await visibleMembers(of: teamID, to: caller) else { return [] }
        // Cached for an hour: reading the addresses of ten thousand members takes half a second.
        guard try await mailboxes.areAny(in: teamID) else { return [] }
        return try await SharedMailboxes.groups(
            in: teamID, store: store, subaddressing: secret.subaddressing)
    }

    /// The members with their accounts, ordered by id.
    private func withAccounts(_ memberships: [Membership]) async throws -> [TeamMember] {
        let accounts = try await store.read { try $0.users(memberships.map(\.userID)) }
        let roles = Dictionary(memberships.map { ($0.userID, $0.role) }) { first, _ in first }
        return accounts.compactMap { user in roles[user.id].map { TeamMember(user: user, role: $0) } }
    }

    /// Makes a member a lead, or a lead a member.
    ///
    /// Callers cannot make themselves leads: that might open texts to them that were written for the leads of that
    /// time. A lead may step down while there is another one.
    ///
    /// An unchanged role is not written: that could undo another lead's concurrent change.
    /// - Throws: `AppError`: `notFound` for the team, and for a user who is not in it (`no-such-user`), `forbidden`,
    ///   `unprocessable` (`own-role`), `conflict` (`only-lead`; `changed-meanwhile` if the caller has just ceased to manage
    ///   the team, or the member's role has changed).
    package func setRole(
        _ role: Membership.Role, of userID: User.ID, in teamID: Team.ID, by caller: Caller
    ) async throws -> TeamMember {
        let member = try await managedMember(userID, of: teamID, by: caller)
        guard member.role != role else { return member }
        guard caller != .user(userID) || role != .lead else {
            throw AppError(
                .unprocessable, "You can’t make yourself a lead. Please ask another lead or an admin.",
                reason: .ownRole)
        }
        try await store.transaction { try $0.setRole(role, insteadOf: member.role, of: userID, in: teamID, by: caller) }
        memberships?.forget(userID, in: teamID)
        return TeamMember(user: member.user, role: role)
    }

    /// Removes a member from the team. Their votes stay in its sums.
    /// - Throws: `AppError`: `notFound` for the team, and for a user who is not in it (`no-such-user`), `forbidden`,
    ///   `conflict` (`only-lead`) while there are other members, and for every caller except the lead even if there are
    ///   none; `conflict` (`changed-meanwhile`) if the caller has just ceased to manage the team.
    package func removeMember(_ userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws {
        _ = try await managedMember(userID, of: teamID, by: caller)
        try await store.transaction { try $0.removeMember(userID, from: teamID, by: caller, secret: secret) }
        memberships?.forget(userID, in: teamID)
    }

    /// Whether the caller may learn to whose addresses mails do not arrive: those who manage the team.
    /// - Throws: `AppError.notFound` for a team that the caller must not know of.
    package func seesAddressFaults(in teamID: Team.ID, _ caller: Caller) async throws -> Bool {
        do {
            try await requireManager(caller, of: teamID)
            return true
        } catch let error as AppError where error.code == .forbidden {
            return false
        }
    }

    /// Sends mails to a member's present address again, although it did not take them.
    /// - Throws: `AppError`: `notFound` for the team, and for a user who is not in it (`no-such-user`), `forbidden`.
    package func liftAddressFault(of userID: User.ID, in teamID: Team.ID, by caller: Caller) async throws {
        _ = try await managedMember(userID, of: teamID, by: caller)
        try await store.transaction { try $0.apply(UserUpdate(liftsAddressFault: true), to: userID) }
    }

    /// A member whom the caller may manage: a lead who is a guest sees, and so manages, only themselves.
    private func managedMember(
        _ userID: User.ID, of teamID: Team.ID, by caller: Caller
    ) async throws -> TeamMember {
        try await requireManager(caller, of: teamID)
        let membership: Membership?
        switch try await visibleMembers(of: teamID, to: caller) {
        case .own(let own): membership = own.userID == userID ? own : nil
        case .all: membership = try await store.membership(of: userID, in: teamID)
        }
        guard let membership, let user = try await store.user(userID) else { throw AppError.notInTeam }
        return TeamMember(user: user, role: membership.role)
    }
}
