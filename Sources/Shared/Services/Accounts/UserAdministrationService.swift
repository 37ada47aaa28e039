package import Domain
package import Ports
package import Storage

/// Administration of other people's accounts.
///
/// It reveals nothing about anyone's activity: neither when they were last active nor whether they voted.
package struct UserAdministrationService: Sendable {
    /// Default number of people per page.
    package static let pageSize = 50
    /// Maximum number of people per page.
    package static let maximumPageSize = 200

    private let store: any Store
    private let accounts: AccountService
    private let passwordResets: PasswordResetService
    private let authenticator: Authenticator
    private let confirmation: PasswordConfirmation
    private let mails: MailJobs
    private let secret: BallotSecret
    private let clock: WallClock

    /// - Parameters:
    ///   - accounts: deletes accounts.
    ///   - passwordResets: has links mailed.
    ///   - authenticator: told when sessions end, so that this process knows at once.
    ///   - confirmation: checks the password of an administrator who sets a role or an address.
    ///   - secret: the key for receipts.
    package init(
        stores: Stores, accounts: AccountService, passwordResets: PasswordResetService, authenticator: Authenticator,
        confirmation: PasswordConfirmation, mails: MailJobs, secret: BallotSecret, clock: WallClock
    ) {
        store = stores.rows
        self.accounts = accounts
        self.passwordResets = passwordResets
        self.authenticator = authenticator
        self.confirmation = confirmation
        self.mails = mails
        self.secret = secret
        self.clock = clock
    }

    /// People ordered by case-folded name.
    /// - Parameters:
    ///   - search: words of name or e-mail address (`NameSearch`); blank means all.
    ///   - after: the name of the last one of the previous page.
    ///   - limit: clamped to 1...`maximumPageSize`.
    /// - Throws: `AppError.forbidden`.
    package func list(
        matching search: String = "", after: String? = nil, limit: Int = pageSize, by caller: Caller
    ) async throws -> UserListPage {
        try await store.requireAdmin(caller)
        let limit = min(max(limit, 1), Self.maximumPageSize)
        // One more than needed shows whether there is another page.
        let found = try await store.read {
            try $0.users(matching: NameSearch(search), after: after.map(UserName.folded), limit: limit + 1)
        }
        let page = found.prefix(limit)
        let counts = try await store.read { try $0.teamCounts(of: page.map(\.id)) }
        return UserListPage(
            people: page.map { ListedUser(user: $0, teamCount: counts[$0.id] ?? 0) },
            nextAfter: found.count > limit ? page.last?.name : nil)
    }

    /// One person, with their teams ordered by name.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func person(_ id: User.ID, by caller: Caller) async throws -> Person {
        try await store.requireAdmin(caller)
        guard let user = try await store.user(id) else { throw AppError.noSuchUser }
        return Person(
            user: user,
            places: try await store.read { try $0.teams(of: id) }.map { Person.Place(team: $0.team, role: $0.role) })
    }

    /// Changes a user's role or e-mail address, or disables or enables the account. Values that do not change are not
    /// written: that could undo another administrator's concurrent change. For the address see `UserUpdate.setEmail`.
    ///
    /// Another address leads to a link for a new password, and so into the account, and an account of one's own with the
    /// role of an administrator has a password to confirm everything with. Someone who has only an administrator's
    /// session must not get that far.
    /// - Parameters:
    ///   - seen: the role shown to the caller, which must still be the present one; `nil` accepts any.
    ///   - seenEmail: the same for the address.
    ///   - password: the caller's own, if role or address change; `nil` for a caller without a password.
    /// - Throws: `AppError`: `forbidden`, `notFound`; `unprocessable` (`own-account`) for a change that the caller could not
    ///   undo, or of their own address; `conflict` (`last-admin`) for the last admin who is not disabled,
    ///   (`email-taken`) if another user has the address, (`mailbox-in-team`) if another member of one of their teams
    ///   has the mailbox, (`changed-meanwhile`) if the caller has just ceased to be an admin, or the person's role or
    ///   address has changed; for another role or address what `PasswordConfirmation.confirm` throws. Then nothing has
    ///   changed.
    package func change(
        _ id: User.ID, _ change: UserChange, seen: User.Role? = nil, seenEmail: String? = nil,
        password: String? = nil, by principal: Principal
    ) async throws -> Person {
        let caller = principal.caller
        try await store.requireAdmin(caller)
        let endsOwnRights = change.isDisabled == true || change.role.map { $0 != .admin } ?? false
        guard caller != .user(id) || !endsOwnRights else {
            throw AppError(
                .unprocessable, "You can’t disable your own account or give up your own role. Another admin can.",
                reason: .ownAccount)
        }
        guard let user = try await store.user(id) else { throw AppError.noSuchUser }
        let change = change.difference(from: user)
        guard caller != .user(id) || change.email == nil else { throw AppError.ownEmail }
        if let seen, change.role != nil, user.role != seen { throw AppError.seenChanged }
        if let seenEmail, change.email != nil, user.email != seenEmail { throw AppError.seenChanged }
        if change.email != nil || change.role != nil {
            _ = try await confirmation.confirm(principal, password: password)
        }
        if change != UserChange() {
            var update = UserUpdate(
                isDisabled: change.isDisabled, role: change.role, ifRoleIs: user.role, ifAdmin: caller.userID)
            if let email = change.email {
                try update.setEmail(email, of: user, secret: secret, mails: mails, at: clock.now)
            }
            try await store.transaction { [update] rows in try rows.apply(update, to: id) }
        }
        if change.isDisabled == true { authenticator.forgetAll(of: id) }
        return try await person(id, by: caller)
    }

    /// Ends all sessions of a user.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func endSessions(of id: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        try await store.transaction { try $0.apply(UserUpdate(endsSessions: .all), to: id) }
        authenticator.forgetAll(of: id)
    }

    /// Sends mails to a user's present address again, although it did not take them.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func liftAddressFault(of id: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        try await store.transaction { try $0.apply(UserUpdate(liftsAddressFault: true), to: id) }
    }

    /// Has a link for a new password mailed to a user.
    /// - Throws: as `PasswordResetService.sendMail(to:by:)`.
    package func sendPasswordReset(to id: User.ID, by caller: Caller) async throws {
        try await passwordResets.sendMail(to: id, by: caller)
    }

    /// Permanently deletes a user's account.
    /// - Throws: as `AccountService.delete(_:by:)`.
    package func delete(_ id: User.ID, by caller: Caller) async throws {
        try await accounts.delete(id, by: caller)
    }
}

/// A partial change of a person; `nil` leaves a value unchanged.
package struct UserChange: Hashable, Sendable {
    /// The role in the whole installation.
    package let role: User.Role?
    /// Whether login is disabled. Disabling also ends their sessions and removes their devices.
    package let isDisabled: Bool?
    /// The e-mail address, which is valid at once.
    package let email: EmailAddress?

    /// By default changes nothing.
    package init(role: User.Role? = nil, isDisabled: Bool? = nil, email: EmailAddress? = nil) {
        self.role = role
        self.isDisabled = isDisabled
        self.email = email
    }

    /// The part of the change that differs from the user's present state.
    fileprivate func difference(from user: User) -> UserChange {
        UserChange(
            role: role == user.role ? nil : role, isDisabled: isDisabled == user.isDisabled ? nil : isDisabled,
            email: email.flatMap { $0.isAddress(of: user) ? nil : $0 })
    }
}

/// One page of people.
package struct UserListPage: Hashable, Sendable {
    /// Ordered by case-folded name.
    package let people: [ListedUser]
    /// The `after` of the next page; `nil` on the last one.
    package let nextAfter: String?
}

/// A person in a list.
package struct ListedUser: Hashable, Sendable {
    /// The account.
    package let user: User
    /// The number of teams they are in.
    package let teamCount: Int
}

/// A person with all details.
package struct Person: Hashable, Sendable {
    /// The account.
    package let user: User
    /// Ordered by team name.
    package let places: [Place]

    /// A person's membership in a team.
    package struct Place: Hashable, Sendable {
        /// The team.
        package let team: Team
        /// The role in that team.
        package let role: Membership.Role
    }
}
