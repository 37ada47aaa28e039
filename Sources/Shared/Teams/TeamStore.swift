/// Where teams and memberships are kept. Every call may also throw `AppError.storeUnavailable`.
public protocol TeamStore: Sendable {
    /// `nil` if there is none.
    func find(id: Team.ID) async throws -> Team?

    /// By name, in any case; `nil` if there is none.
    func find(name: String) async throws -> Team?

    /// By the SHA-256 of a share link's token; `nil` if no team shares under it.
    func find(shareTokenHash: [UInt8]) async throws -> Team?

    /// Those of these teams that are there, ordered by id. One round trip.
    func list(ids: [Team.ID]) async throws -> [Team]

    /// Every team, in order of the id, a page at a time: a walk that no renaming disturbs.
    func list(after: Team.ID?, limit: Int) async throws -> [Team]

    /// In order of the case-folded name. `after` is the folded name of the last team of the page before; `prefix` is what
    /// the folded name begins with, `nil` means every team.
    /// - Complexity: `limit` reads by an index.
    func list(matching prefix: String?, after: String?, limit: Int) async throws -> [Team]

    /// - Throws: `AppError.conflict` (`name-taken`), case-folded.
    func insert(_ team: Team) async throws

    /// Replaces name and settings if they are still `present`, and changes the threshold of the team's open sprints as
    /// `ThresholdRaise` has it, in the same transaction. Counts in `publicationNumber`, for name and terms of a sprint are
    /// shown.
    /// - Returns: `false` if they are others by now, and then nothing is changed.
    /// - Throws: `AppError.notFound`; `AppError.conflict` (`name-taken`), case-folded, and then nothing is changed.
    func update(id: Team.ID, _ rules: TeamRules, from present: TeamRules) async throws -> Bool

    /// Starts sharing under a new token, or stops (`nil`). What was shared before is gone at once.
    /// - Throws: `AppError.notFound`.
    func setShareTokenHash(id: Team.ID, _ hash: [UInt8]?) async throws

    /// Adds a member, counts it in `memberCount` and in `joined` of the team's open sprints, and makes the team the user's
    /// default if they have none: one transaction. What an earlier account with their address voted there counts as their
    /// vote (`Receipt`).
    /// - Parameter secret: what receipts are keyed with.
    /// - Throws: `AppError.conflict` (`already-a-member`), `AppError.notFound` for a team or user that is not there.
    func add(_ membership: Membership, secret: BallotSecret) async throws

    /// Changes what a member may do, as long as somebody may still decide that. Of two leads who are demoted or removed at
    /// once one stays; of two who demote each other one does.
    /// - Parameters:
    ///   - old: what the member may do now, as the caller has seen it.
    ///   - caller: who decides.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.conflict` (`changed-meanwhile`) if their role
    ///   is not `old`, or the caller does not manage the team; `AppError.onlyLead` if it would have no lead any more. Then
    ///   nothing was changed.
    func setRole(
        _ role: Membership.Role, insteadOf old: Membership.Role, of userID: User.ID, in teamID: Team.ID,
        by caller: Caller
    ) async throws

    /// Removes a member and their place in `memberCount`; a default team that is gone becomes another of the user's
    /// teams, or none, and the team's actions that were theirs become nobody's. Of two leads who remove each other at once
    /// one stays.
    /// - Parameter caller: who decides; the member themself, or somebody who manages the team.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.conflict` (`changed-meanwhile`) if the caller
    ///   does not manage the team; `AppError.onlyLead` if they are its only lead, and one is to be kept (`KeptLead`). Then
    ///   nothing was changed.
    func remove(userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws

    /// Whether there is, or will be, anything of the team's to read that its members made: a ballot, a sprint that was
    /// closed while it had members, an action. It stays true when they have left.
    func hasPast(_ id: Team.ID) async throws -> Bool

    /// `nil` if the user is not in the team.
    func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership?

    /// The user's teams with their role in each, in order of the team's case-folded name.
    func teams(of userID: User.ID) async throws -> [(team: Team, role: Membership.Role)]

    /// How many teams each of these users is in; who is in none may be missing. One round trip, by an index.
    func teamCounts(of userIDs: [User.ID]) async throws -> [User.ID: Int]

    /// Everybody in the team, in order of the user's id.
    func members(of teamID: Team.ID) async throws -> [Membership]

    /// The ids of those in the team that lie after `after` and up to `through`, in their order; `nil` means no bound.
    func memberIDs(of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int) async throws -> [User.ID]

    /// Those of these users who are in the team. One round trip, by an index.
    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) async throws -> Set<User.ID>

    /// Grows whenever what the team's members may see of its sprints changes: by publication, closing or start. Caches
    /// compare it. `nil` if there is no such team. One round trip, and a cost that does not grow with the team's past.
    func publicationNumber(of teamID: Team.ID) async throws -> Int?
}

extension TeamStore {
    /// Replaces the settings, and the name unless it is `nil`, whatever they are.
    /// - Throws: as the other `update`.
    public func update(id: Team.ID, name: String?, settings: TeamSettings) async throws {
        while true {
            guard let present = try await find(id: id)?.rules else { throw AppError.noSuchTeam }
            let rules = TeamRules(name: name ?? present.name, settings: settings)
            if try await update(id: id, rules, from: present) { return }
        }
    }

    /// Replaces the settings alone, whatever they are.
    /// - Throws: as `update`.
    public func updateSettings(id: Team.ID, _ settings: TeamSettings) async throws {
        try await update(id: id, name: nil, settings: settings)
    }

    /// Removes a member, whoever leads the others then.
    /// - Throws: as the other `remove`.
    public func remove(userID: User.ID, from teamID: Team.ID) async throws {
        try await remove(userID: userID, from: teamID, by: .operator)
    }
}

/// Whose only lead cannot be removed.
enum KeptLead: Hashable, Sendable {
    /// Anybody can.
    case nobody
    /// That of other members.
    case ofMembers
    /// That of every team, be they alone in it.
    case always

    /// The operator removes anybody, and whoever is alone in a team may leave it. But nobody empties a team of others: then
    /// no member would be there to see who comes next. Not even one without a past, for that would tell whether its lead
    /// has voted.
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
    /// For stores: without this user nobody would lead the team's members, or look after what they left.
    static let onlyLead = AppError(
        .conflict,
        "This is the only lead of the team. Please make another member a lead first, or invite somebody as one.",
        reason: "only-lead")
    /// For stores: the roles under which somebody decided about a member do not hold any more.
    static let roleChanged = AppError(
        .conflict, "Roles in the team were changed at the same moment. Please look again.",
        reason: "changed-meanwhile")
    /// For stores: somebody who would be changed or removed is not in the team.
    static let notInTeam = AppError(.notFound, "This user is not in the team.", reason: "no-such-user")
    /// For stores: another team has the name, case-folded.
    static let teamNameTaken = AppError(.conflict, "A team of this name exists.", reason: "name-taken")
}
