/// Where teams and memberships are kept. Every call may also throw `AppError.storeUnavailable`.
public protocol TeamStore: Sendable {
    /// `nil` if there is none.
    func find(id: Team.ID) async throws -> Team?

    /// By name, in any case; `nil` if there is none.
    func find(name: String) async throws -> Team?

    /// By the SHA-256 of a share link's token; `nil` if no team shares under it.
    func find(shareTokenHash: [UInt8]) async throws -> Team?

    /// In order of the case-folded name. `after` is the folded name of the last team of the page before.
    func list(after: String?, limit: Int) async throws -> [Team]

    /// - Throws: `AppError.conflict` (`name-taken`), case-folded.
    func insert(_ team: Team) async throws

    /// Replaces the settings. A threshold above that of the team's open sprints is written to these as well, in the
    /// same transaction: a raise counts at once. Counts in `publicationNumber`, for the terms of a sprint are shown.
    /// - Throws: `AppError.notFound`.
    func updateSettings(id: Team.ID, _ settings: TeamSettings) async throws

    /// Starts sharing under a new token, or stops (`nil`). What was shared before is gone at once.
    /// - Throws: `AppError.notFound`.
    func setShareTokenHash(id: Team.ID, _ hash: [UInt8]?) async throws

    /// Adds a member, counts it in `memberCount`, and makes the team the user's default if they have none: one
    /// transaction.
    /// - Throws: `AppError.conflict` (`already-a-member`), `AppError.notFound` for a team or user that is not there.
    func add(_ membership: Membership) async throws

    /// Removes a member and their place in `memberCount`; a default team that is gone becomes another of the user's
    /// teams, or none.
    /// - Throws: `AppError.notFound` if the user is not in the team.
    func remove(userID: User.ID, from teamID: Team.ID) async throws

    /// `nil` if the user is not in the team.
    func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership?

    /// The user's teams with their role in each, in order of the team's case-folded name.
    func teams(of userID: User.ID) async throws -> [(team: Team, role: Membership.Role)]

    /// Everybody in the team, in order of the user's id.
    func members(of teamID: Team.ID) async throws -> [Membership]

    /// The ids of those in the team that lie after `after` and up to `through`, in their order; `nil` means no bound.
    func memberIDs(of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int) async throws -> [User.ID]

    /// Grows whenever what the team's members may see of its sprints changes: by publication, closing or start. Caches
    /// compare it. `nil` if there is no such team. One round trip, and a cost that does not grow with the team's past.
    func publicationNumber(of teamID: Team.ID) async throws -> Int?
}
