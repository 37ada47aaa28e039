package import Domain

/// Stores teams and memberships. Every call may also throw `StorageError.unavailable`.
package protocol TeamStore: TransactionalStore {
    /// `nil` if there is none.
    func find(id: Team.ID) async throws -> Team?

    /// By name, ignoring case; `nil` if there is none.
    func find(name: String) async throws -> Team?

    /// By the SHA-256 of a share link's token; `nil` if no team shares anything under it.
    func find(shareTokenHash: [UInt8]) async throws -> Team?

    /// The existing ones among these teams, ordered by id. One round trip.
    func list(ids: [Team.ID]) async throws -> [Team]

    /// All teams ordered by id, one page at a time: renames do not disturb the iteration.
    func list(after: Team.ID?, limit: Int) async throws -> [Team]

    /// Ordered by case-folded name. `after` is the folded name of the last team of the previous page; `prefix` is the
    /// beginning of the folded name, `nil` means every team.
    /// - Complexity: `limit` reads by an index.
    func list(matching prefix: String?, after: String?, limit: Int) async throws -> [Team]

    /// `nil` if the user is not in the team.
    func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership?

    /// The user's teams with their role in each, ordered by the team's case-folded name.
    func teams(of userID: User.ID) async throws -> [(team: Team, role: Membership.Role)]

    /// The number of teams each of these users is in; users without a team may be missing. One round trip, by an index.
    func teamCounts(of userIDs: [User.ID]) async throws -> [User.ID: Int]

    /// All members of the team, ordered by user id.
    func members(of teamID: Team.ID) async throws -> [Membership]

    /// Members of the team, ordered by user id, one page at a time.
    /// - Parameter after: the last member of the previous page.
    /// - Complexity: `limit` reads by an index.
    func members(of teamID: Team.ID, after: User.ID?, limit: Int) async throws -> [Membership]

    /// Members of the team with their accounts, ordered by `MemberPosition`, one page at a time.
    /// - Parameters:
    ///   - prefix: the beginning of the case-folded shown name or user name; `nil` means every member.
    ///   - after: the position of the last member of the previous page.
    /// - Complexity: reads the names of the whole team, and `limit` accounts.
    func members(
        of teamID: Team.ID, matching prefix: TextPrefix?, after: MemberPosition?, limit: Int
    ) async throws -> [(user: User, role: Membership.Role)]

    /// The ids of members that lie after `after` and up to `through`, in order; `nil` means no bound.
    func memberIDs(of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int) async throws -> [User.ID]

    /// The members of the team among these users. One round trip, by an index.
    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) async throws -> Set<User.ID>

    /// Deletes everything that names a deleted team and was not deleted with it: sprints, receipts, feedback, actions,
    /// settings, deliveries, experiments. Takes as long as it needs; what is deleted when it fails stays deleted.
    func purgeDeletedTeam(of teamID: Team.ID) async throws

    /// Increases whenever the visible state of the team's sprints changes: on publication, close or start; caches
    /// compare it. `nil` if there is no such team. One round trip, at a cost independent of the team's history.
    func publicationNumber(of teamID: Team.ID) async throws -> Int?
}
