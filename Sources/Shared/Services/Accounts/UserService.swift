package import Domain
import FoundationEssentials
package import Ports
package import Storage

/// Accounts: who may create and change them, and what is valid. Users change their own password through
/// `PasswordChangeService`.
package struct UserService: Sendable {
    private let store: any Store
    private let hasher: PasswordHasher
    private let passwordPolicy: PasswordPolicy
    private let authenticator: Authenticator?
    private let secret: BallotSecret
    private let mails: MailJobs
    private let clock: WallClock

    /// - Parameters:
    ///   - secret: the key for receipts.
    ///   - passwordPolicy: the rules for a new password, from the settings.
    ///   - authenticator: told when sessions end, so that this process knows at once; commands have none.
    package init(
        stores: Stores, hasher: PasswordHasher, secret: BallotSecret, passwordPolicy: PasswordPolicy = .length,
        authenticator: Authenticator? = nil, clock: WallClock = .system
    ) {
        store = stores.rows
        self.hasher = hasher
        self.secret = secret
        self.passwordPolicy = passwordPolicy
        self.authenticator = authenticator
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        self.clock = clock
    }

    /// The input for a new account.
    package struct NewUser: Sendable {
        /// Validated.
        package let name: UserName
        /// Validated.
        package let email: EmailAddress
        /// The role in the installation.
        package let role: User.Role
        /// The first team, if any.
        package let membership: (teamID: Team.ID, role: Membership.Role)?
        /// The known language preference before the first login.
        package let language: AccountLanguage

        /// `nil`, the default, for no team.
        package init(
            name: UserName, email: EmailAddress, role: User.Role = .member,
            membership: (teamID: Team.ID, role: Membership.Role)? = nil, language: AccountLanguage = .unknown
        ) {
            self.name = name
            self.email = email
            self.role = role
            self.membership = membership
            self.language = language
        }
    }

    /// Checks everything that `add` rejects, except the password. Call it before asking for a password.
    /// - Throws: as `add`.
    package func validate(_ new: NewUser, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        if try await store.user(login: new.name.text) != nil {
            throw AppError(.conflict, "This user name is taken.", reason: .nameTaken)
        }
        if try await store.user(login: new.email.text) != nil {
            throw AppError(.conflict, "This e-mail address is taken.", reason: .emailTaken)
        }
        if let membership = new.membership, try await store.team(membership.teamID) == nil {
            throw AppError.noSuchTeam
        }
    }

    /// Creates an account. Its owner is asked to choose their own password.
    /// - Throws: `AppError`: `forbidden` unless the caller is an admin or the operator, `conflict` (`name-taken`,
    ///   `email-taken`), `notFound` for the team, `unprocessable` with the reason why the password is rejected, `unavailable`
    ///   with `retryAfter`.
    package func add(_ new: NewUser, password: String, by caller: Caller) async throws -> User {
        try await validate(new, by: caller)
        try passwordPolicy.check(password, name: new.name.text, email: new.email.text)
        let user = User(
            name: new.name, email: new.email, role: new.role, passwordHash: try await hasher.hash(password),
            locale: new.language.tag, createdOn: CalendarDay(instant: clock.now, in: .gmt),
            passwordIsHandedOut: true)
        try await store.transaction { try $0.add(user) }
        if let membership = new.membership {
            try await store.transaction {
                try $0.add(
                    Membership(teamID: membership.teamID, userID: user.id, role: membership.role), secret: secret)
            }
        }
        return user
    }

    /// The user with this name or e-mail address.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func find(login: String, by caller: Caller) async throws -> User {
        try await store.requireAdmin(caller)
        guard let user = try await store.user(login: login) else { throw AppError.noSuchUser }
        return user
    }

    /// All users, ordered by case-folded name.
    /// - Parameter after: the name of the last user of the previous page.
    /// - Throws: `AppError.forbidden`.
    package func list(after: String? = nil, limit: Int = 100, by caller: Caller) async throws -> [User] {
        try await store.requireAdmin(caller)
        return try await store.read { try $0.users(matching: nil, after: after.map(UserName.folded), limit: limit) }
    }

    /// Sets a user's password. All their sessions end, and links and login codes issued before become invalid. Unless
    /// they are the caller, they are asked to choose their own.
    /// - Throws: `AppError`: `forbidden`, `notFound`, `unprocessable` with the reason, `unavailable`.
    package func setPassword(_ password: String, of userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard let user = try await store.user(userID) else { throw AppError.noSuchUser }
        try passwordPolicy.check(password, name: user.name, email: user.email)
        // Hashed and stored in one turn: a login that re-hashes the old password has its own turn, before or after.
        try await hasher.inTurn { turn in
            let hash = try await turn.hash(password)
            try await store.transaction {
                try $0.apply(
                    UserUpdate(newPassword: hash, isHandedOut: caller != .user(userID), endsSessions: .all),
                    to: userID)
            }
        }
        authenticator?.forgetAll(of: userID)
    }

    /// Sets a user's e-mail address at once, as `UserUpdate.setEmail` describes. Their present address changes nothing.
    /// - Throws: `AppError`: `forbidden`, `notFound`; `unprocessable` (`own-account`) for the caller's own account; `conflict`
    ///   (`email-taken`) if another user has the address, (`mailbox-in-team`) if another member of one of their teams
    ///   has the mailbox, (`changed-meanwhile`) if the user's address has just changed or the caller has just ceased to
    ///   be an admin.
    package func setEmail(_ address: EmailAddress, of userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard caller != .user(userID) else { throw AppError.ownEmail }
        guard let user = try await store.user(userID) else { throw AppError.noSuchUser }
        guard !address.isAddress(of: user) else { return }
        var update = UserUpdate(ifAdmin: caller.userID)
        try update.setEmail(address, of: user, secret: secret, mails: mails, at: clock.now)
        try await store.change(userID, update)
    }

    /// Changes a user's role in the installation.
    /// - Throws: as `setDisabled(_:of:by:)`, `own-account` if the caller would lose their own right to manage users.
    package func setRole(_ role: User.Role, of userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard caller != .user(userID) || role == .admin else {
            throw AppError(.unprocessable, "You can’t give up your own role.", reason: .ownAccount)
        }
        try await store.change(userID, UserUpdate(role: role, ifAdmin: caller.userID))
    }

    /// Disables a user's login and ends their sessions, or enables it again.
    /// - Throws: `AppError`: `forbidden`, `notFound`, `unprocessable` (`own-account`) for the caller's own account, which
    ///   would be a mistake; `conflict` (`last-admin`) for the last admin who is not disabled, (`changed-meanwhile`) if
    ///   the caller has just ceased to be one.
    package func setDisabled(_ isDisabled: Bool, of userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard caller != .user(userID) || !isDisabled else {
            throw AppError(.unprocessable, "You can’t disable your own account.", reason: .ownAccount)
        }
        try await store.change(userID, UserUpdate(isDisabled: isDisabled, ifAdmin: caller.userID))
        if isDisabled { authenticator?.forgetAll(of: userID) }
    }

    /// Removes a user's links to OpenID providers, so that nobody can log in through them until the account is linked
    /// again. All their sessions end, and links and login codes issued before become invalid.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func unlink(_ userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        try await store.transaction { rows in
            try rows.apply(UserUpdate(endsSessions: .all, endsTokens: .intoAccount), to: userID)
            try rows.deleteIdentities(of: userID)
        }
        authenticator?.forgetAll(of: userID)
    }

    /// Sends mails to a user's present address again, although it did not take them.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func liftAddressFault(of userID: User.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        try await store.transaction { try $0.apply(UserUpdate(liftsAddressFault: true), to: userID) }
    }
}

extension Store {
    /// Requires the operator or an admin. The role is read from the store each time, so a change applies immediately.
    /// - Throws: `AppError.forbidden`.
    func requireAdmin(_ caller: Caller) async throws {
        guard case .user(let userID) = caller else { return }
        guard let user = try await user(userID), user.isActiveAdmin else { throw AppError.notAllowed }
    }

    /// Changes another user's account.
    /// - Throws: as `StoreTransaction.apply`, with `last-admin` worded for a caller who is not that administrator.
    fileprivate func change(_ other: User.ID, _ update: UserUpdate) async throws {
        do {
            try await transaction { try $0.apply(update, to: other) }
        } catch let error as AppError where error == .lastAdmin {
            throw AppError.otherIsLastAdmin
        }
    }
}
