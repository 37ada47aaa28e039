/// Stores teams and memberships. Every call may also throw `AppError.storeUnavailable`.
public protocol TeamStore: Sendable {
    /// `nil` if there is none.
    func find(id: Team.ID) async throws -> Team?

    /// By name, ignoring case; `nil` if there is none.
    func find(name: String) async throws -> Team?

    /// By the SHA-256 of a share link's token; `nil` if no team shares anything under it.
    func find(shareTokenHash: [UInt8]) async throws -> Team?

    /// Those of these teams that exist, ordered by id. One round trip.
    func list(ids: [Team.ID]) async throws -> [Team]

    /// All teams ordered by id, one page at a time: renames do not disturb the iteration.
    func list(after: Team.ID?, limit: Int) async throws -> [Team]

    /// Ordered by case-folded name. `after` is the folded name of the last team of the previous page; `prefix` is the
    /// beginning of the folded name, `nil` means every team.
    /// - Complexity: `limit` reads by an index.
    func list(matching prefix: String?, after: String?, limit: Int) async throws -> [Team]

    /// - Throws: `AppError.conflict` (`name-taken`), case-folded.
    func insert(_ team: Team) async throws

    /// Replaces name and settings if they still equal `present`, and changes the threshold of the team's open sprints
    /// according to `ThresholdRaise`, in the same transaction. Increments `publicationNumber`, because name and terms
    /// of a sprint are visible.
    /// - Returns: `false` if the rules have changed; then nothing is written.
    /// - Throws: `AppError.notFound`; `AppError.conflict` (`name-taken`), case-folded; then nothing has changed.
    func update(id: Team.ID, _ rules: TeamRules, from present: TeamRules) async throws -> Bool

    /// Starts sharing under a new token, or stops (`nil`). An earlier link becomes invalid immediately.
    /// - Throws: `AppError.notFound`.
    func setShareTokenHash(id: Team.ID, _ hash: [UInt8]?) async throws

    /// Adds a member, counts them in `memberCount` and in `joined` of the team's open sprints, and makes the team the
    /// user's default if they have none: one transaction. A vote that an earlier account with their address cast there
    /// counts as theirs (`Receipt`).
    /// - Parameter secret: the key for receipts.
    /// - Throws: `AppError.conflict` (`already-a-member`), `AppError.notFound` for an unknown team or user.
    func add(_ membership: Membership, secret: BallotSecret) async throws

    /// Changes a member's role if the caller may still decide that. If two leads are demoted or removed concurrently,
    /// one stays; if two leads demote each other, one demotion succeeds.
    /// - Parameters:
    ///   - old: the present role, as seen by the caller.
    ///   - caller: who decides.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.conflict` (`changed-meanwhile`) if their
    ///   role is not `old`, or the caller does not manage the team; `AppError.onlyLead` if the team would have no lead.
    ///   Then nothing has changed.
    func setRole(
        _ role: Membership.Role, insteadOf old: Membership.Role, of userID: User.ID, in teamID: Team.ID,
        by caller: Caller
    ) async throws

    /// Removes a member and their place in `memberCount`. If it was their default team, another of their teams, or
    /// none, becomes the default; the team's actions assigned to them lose their assignee. If two leads remove each
    /// other concurrently, one stays.
    /// - Parameter caller: who decides: the member, or a caller who manages the team.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.conflict` (`changed-meanwhile`) if the
    ///   caller does not manage the team; `AppError.onlyLead` if the user is its only lead, and must stay (`KeptLead`).
    ///   Then nothing has changed.
    func remove(userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws

    /// Whether the team has, or will have, anything to read that its members created: a ballot, a sprint that was
    /// closed while it had members, an action. It stays true after they have left.
    func hasPast(_ id: Team.ID) async throws -> Bool

    /// `nil` if the user is not in the team.
    func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership?

    /// The user's teams with their role in each, ordered by the team's case-folded name.
    func teams(of userID: User.ID) async throws -> [(team: Team, role: Membership.Role)]

    /// The number of teams each of these users is in; users without a team may be missing. One round trip, by an index.
    func teamCounts(of userIDs: [User.ID]) async throws -> [User.ID: Int]

    /// All members of the team, ordered by user id.
    func members(of teamID: Team.ID) async throws -> [Membership]

    /// The ids of members that lie after `after` and up to `through`, in order; `nil` means no bound.
    func memberIDs(of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int) async throws -> [User.ID]

    /// Those of these users who are in the team. One round trip, by an index.
    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) async throws -> Set<User.ID>

    /// Increases whenever the visible state of the team's sprints changes: on publication, close or start; caches
    /// compare it. `nil` if there is no such team. One round trip, at a cost independent of the team's history.
    func publicationNumber(of teamID: Team.ID) async throws -> Int?
}

extension TeamStore {
    /// Replaces the settings, and the name unless it is `nil`, unconditionally.
    /// - Throws: as the other `update`.
    public func update(id: Team.ID, name: String?, settings: TeamSettings) async throws {
        while true {
            guard let present = try await find(id: id)?.rules else { throw AppError.noSuchTeam }
            let rules = TeamRules(name: name ?? present.name, settings: settings)
            if try await update(id: id, rules, from: present) { return }
        }
    }

    /// Replaces only the settings, unconditionally.
    /// - Throws: as `update`.
    public func updateSettings(id: Team.ID, _ settings: TeamSettings) async throws {
        try await update(id: id, name: nil, settings: settings)
    }

    /// Removes a member, even if the team then has no lead.
    /// - Throws: as the other `remove`.
    public func remove(userID: User.ID, from teamID: Team.ID) async throws {
        try await remove(userID: userID, from: teamID, by: .operator)
    }
}

/// When the only lead of a team cannot be removed.
enum KeptLead: Hashable, Sendable {
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
    /// The team does not exist, or the caller is not a member: both look the same.
    public static let noSuchTeam = AppError(.notFound, "There is no such team.", reason: "no-such-team")
    /// For stores: the user is a member of the team they would join.
    static let alreadyAMember = AppError(
        .conflict, "This user is already in the team.", reason: "already-a-member")
    /// For stores: without this user the team's members, or what they left, would have no lead.
    static let onlyLead = AppError(
        .conflict,
        "This is the only lead of the team. Please make another member a lead first, or invite somebody as one.",
        reason: "only-lead")
    /// For stores: the roles that the decision was based on have changed.
    static let roleChanged = AppError(
        .conflict, "Roles in the team were changed at the same moment. Please look again.",
        reason: "changed-meanwhile")
    /// For stores: the user to be changed or removed is not in the team.
    static let notInTeam = AppError(.notFound, "This user is not in the team.", reason: "no-such-user")
    /// For stores: another team has the name, case-folded.
    static let teamNameTaken = AppError(.conflict, "A team of this name exists.", reason: "name-taken")
}
