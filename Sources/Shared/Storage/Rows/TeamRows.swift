package import Domain

/// Teams and memberships.
package protocol TeamRows {
    /// `nil` if there is none.
    func team(_ id: Team.ID) throws -> Team?

    /// By name, ignoring case; `nil` if there is none.
    func team(name: String) throws -> Team?

    /// By the SHA-256 of a share link's token; `nil` if no team shares anything under it.
    func team(shareTokenHash: [UInt8]) throws -> Team?

    /// The existing ones among these teams, ordered by id. One round trip.
    func teams(_ ids: [Team.ID]) throws -> [Team]

    /// All teams ordered by id, one page at a time: renames do not disturb the iteration.
    func teams(after: Team.ID?, limit: Int) throws -> [Team]

    /// Ordered by case-folded name. `after` is the folded name of the last team of the previous page; `nil` as search
    /// means every team.
    /// - Complexity: as of `users(matching:after:limit:)`.
    func teams(matching search: NameSearch?, after: String?, limit: Int) throws -> [Team]

    /// Whether the team has, or will have, anything to read that its members created: a ballot, a sprint that was
    /// closed while it had members, an action. It stays true after they have left.
    func hasPast(_ teamID: Team.ID) throws -> Bool

    /// Increases whenever the visible state of the team's sprints changes: on publication, close or start; caches
    /// compare it. `nil` if there is no such team. One round trip, at a cost independent of the team's history.
    func publicationNumber(of teamID: Team.ID) throws -> Int?

    /// `nil` if the user is not in the team.
    func membership(of userID: User.ID, in teamID: Team.ID) throws -> Membership?

    /// All memberships of the user, in no particular order.
    func memberships(of userID: User.ID) throws -> [Membership]

    /// The user's teams with their role in each, ordered by the team's case-folded name.
    func teams(of userID: User.ID) throws -> [(team: Team, role: Membership.Role)]

    /// The number of teams each of these users is in; users without a team may be missing. One round trip, by an index.
    func teamCounts(of userIDs: [User.ID]) throws -> [User.ID: Int]

    /// All members of the team, ordered by user id.
    func members(of teamID: Team.ID) throws -> [Membership]

    /// Members of the team, ordered by user id, one page at a time.
    /// - Parameter after: the last member of the previous page.
    /// - Complexity: `limit` reads by an index.
    func members(of teamID: Team.ID, after: User.ID?, limit: Int) throws -> [Membership]

    /// Members of the team with their accounts, ordered by `MemberPosition`, one page at a time.
    /// - Parameters:
    ///   - search: in the shown name and the user name, not in the address; `nil` means every member.
    ///   - after: the position of the last member of the previous page.
    /// - Complexity: reads the names of the whole team, and `limit` accounts.
    func members(
        of teamID: Team.ID, matching search: NameSearch?, after: MemberPosition?, limit: Int
    ) throws -> [(user: User, role: Membership.Role)]

    /// The ids of members that lie after `after` and up to `through`, in order; `nil` means no bound.
    func memberIDs(of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int) throws -> [User.ID]

    /// The members of the team among these users. One round trip, by an index.
    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) throws -> Set<User.ID>

    /// Whether the team has a member with this role; `nil` means any role.
    func hasMember(of teamID: Team.ID, role: Membership.Role?) throws -> Bool
}

/// Changes of teams, each atomic by itself.
package protocol TeamWrites {
    /// Deletes everything that names a deleted team and was not deleted with it: sprints, receipts, feedback, actions,
    /// settings, deliveries, experiments. Takes as long as it needs; what is deleted when it fails stays deleted.
    func purgeDeletedTeam(of teamID: Team.ID) throws
}

/// Changes of teams and memberships in a transaction.
package protocol TeamChanges {
    /// Makes transactions that lock the same team take effect one after the other.
    /// - Returns: whether the team exists.
    @discardableResult
    func lock(_ teamID: Team.ID) throws -> Bool

    /// - Throws: `StorageError.duplicate` if the id or the case-folded name exists.
    func insert(_ team: Team) throws

    /// Replaces name, settings and share link of the team with the same id, but not its counts.
    /// - Throws: `StorageError.duplicate` as `insert`.
    func update(_ team: Team) throws

    /// Deletes the team and its invitations. Everything else that names the team is deleted with it, or by
    /// `purgeDeletedTeam`; members must be deleted before.
    func delete(_ team: Team) throws

    /// Adds to `memberCount`, which also locks the team.
    /// - Returns: whether the team exists.
    @discardableResult
    func changeMemberCount(of teamID: Team.ID, by number: Int) throws -> Bool

    /// Invalidates every cache of what the team's members may see, which also locks the team.
    /// - Returns: whether the team exists.
    @discardableResult
    func countPublication(of teamID: Team.ID) throws -> Bool

    /// - Throws: `StorageError.duplicate` if the user is in the team.
    func insert(_ membership: Membership) throws

    /// Replaces the role.
    func update(_ membership: Membership) throws

    /// Deletes the membership alone.
    func delete(_ membership: Membership) throws
}
