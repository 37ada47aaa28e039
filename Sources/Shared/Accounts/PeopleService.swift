/// What administrators see of other people's accounts, and do about them.
///
/// It tells nothing of what anybody does: neither when they were here last nor whether they voted.
public struct PeopleService: Sendable {
    /// People of a page.
    public static let pageSize = 50
    /// The most a caller can ask for at once.
    public static let maximumPageSize = 200

    private let users: any UserStore
    private let teams: any TeamStore
    private let accounts: AccountService
    private let passwordResets: PasswordResetService
    private let authenticator: Authenticator

    /// - Parameters:
    ///   - accounts: deletes them.
    ///   - passwordResets: has links mailed.
    ///   - authenticator: told when sessions end, so that this process knows at once.
    public init(
        stores: Stores, accounts: AccountService, passwordResets: PasswordResetService, authenticator: Authenticator
    ) {
        users = stores.users
        teams = stores.teams
        self.accounts = accounts
        self.passwordResets = passwordResets
        self.authenticator = authenticator
    }

    /// People in order of the case-folded name.
    /// - Parameters:
    ///   - search: what name or e-mail address begins with; blank means everybody.
    ///   - after: the name of the last one of the previous page.
    ///   - limit: kept within 1 and `maximumPageSize`.
    /// - Throws: `AppError.forbidden`.
    public func list(
        matching search: String = "", after: String? = nil, limit: Int = pageSize, by caller: Caller
    ) async throws -> PeoplePage {
        try await users.requireAdmin(caller)
        let limit = min(max(limit, 1), Self.maximumPageSize)
        // One more tells whether there is another page.
        let found = try await users.list(
            matching: UserSearch(search), after: after.map(UserName.folded), limit: limit + 1)
        let page = found.prefix(limit)
        let counts = try await teams.teamCounts(of: page.map(\.id))
        return PeoplePage(
            people: page.map { ListedPerson(user: $0, teamCount: counts[$0.id] ?? 0) },
            nextAfter: found.count > limit ? page.last?.name : nil)
    }

    /// One person, with the teams they are in, in order of the names of these.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    public func person(_ id: User.ID, by caller: Caller) async throws -> Person {
        try await users.requireAdmin(caller)
        guard let user = try await users.find(id: id) else { throw AppError.noSuchUser }
        return Person(
            user: user,
            places: try await teams.teams(of: id).map { Person.Place(team: $0.team, role: $0.role) })
    }

    /// Gives somebody another role, keeps them from logging in, or lets them in again. What they are already is not
    /// written: it would give back what somebody else takes from them at the same moment.
    /// - Parameter seen: the role that the caller was shown, which another one is to take the place of; `nil` for whichever
    ///   there is.
    /// - Throws: `AppError`: `forbidden`, `notFound`; `refused` (`own-account`) for a change that would keep the caller from
    ///   undoing it; `conflict` (`last-admin`) for the last admin who is not disabled, (`changed-meanwhile`) if the caller
    ///   has just ceased to be one, or the person has another role by now. Then nothing was changed.
    public func change(
        _ id: User.ID, _ change: PersonChange, seen: User.Role? = nil, by caller: Caller
    ) async throws -> Person {
        try await users.requireAdmin(caller)
        let endsOwnRights = change.isDisabled == true || change.role.map { $0 != .admin } ?? false
        guard caller != .user(id) || !endsOwnRights else {
            throw AppError(
                .refused, "You cannot disable your own account or give up your own role: another administrator can.",
                reason: "own-account")
        }
        guard let user = try await users.find(id: id) else { throw AppError.noSuchUser }
        let change = change.difference(from: user)
        if let seen, change.role != nil, user.role != seen { throw AppError.seenChanged }
        if change != PersonChange() {
            try await users.update(
                id: id,
                UserUpdate(
                    isDisabled: change.isDisabled, role: change.role, ifRoleIs: user.role, ifAdmin: caller.userID))
        }
        if change.isDisabled == true { authenticator.forgetAll(of: id) }
        return try await person(id, by: caller)
    }

    /// Logs somebody out everywhere.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    public func endSessions(of id: User.ID, by caller: Caller) async throws {
        try await users.requireAdmin(caller)
        try await users.update(id: id, UserUpdate(endsSessions: .all))
        authenticator.forgetAll(of: id)
    }

    /// Has a link for a new password mailed to somebody.
    /// - Throws: as `PasswordResetService.sendMail(to:by:)`.
    public func sendPasswordReset(to id: User.ID, by caller: Caller) async throws {
        try await passwordResets.sendMail(to: id, by: caller)
    }

    /// Deletes somebody's account for good.
    /// - Throws: as `AccountService.delete(_:by:)`.
    public func delete(_ id: User.ID, by caller: Caller) async throws {
        try await accounts.delete(id, by: caller)
    }
}

/// What to change of a person; `nil` leaves a value as it is.
public struct PersonChange: Hashable, Sendable {
    /// What they may do in the whole installation.
    public let role: User.Role?
    /// Whether they are kept from logging in. Their sessions and devices end with it.
    public let isDisabled: Bool?

    /// Names what to change.
    public init(role: User.Role? = nil, isDisabled: Bool? = nil) {
        self.role = role
        self.isDisabled = isDisabled
    }

    /// What of it the user is not yet.
    fileprivate func difference(from user: User) -> PersonChange {
        PersonChange(
            role: role == user.role ? nil : role, isDisabled: isDisabled == user.isDisabled ? nil : isDisabled)
    }
}

/// People in order of their names, and where to go on.
public struct PeoplePage: Hashable, Sendable {
    /// In order of the case-folded name.
    public let people: [ListedPerson]
    /// For the next page; `nil` on the last one.
    public let nextAfter: String?
}

/// Somebody in a list.
public struct ListedPerson: Hashable, Sendable {
    /// The account.
    public let user: User
    /// How many teams they are in.
    public let teamCount: Int
}

/// Somebody by themselves.
public struct Person: Hashable, Sendable {
    /// The account.
    public let user: User
    /// In order of the teams' names.
    public let places: [Place]

    /// A team somebody is in.
    public struct Place: Hashable, Sendable {
        /// The team.
        public let team: Team
        /// What they are there.
        public let role: Membership.Role
    }
}
