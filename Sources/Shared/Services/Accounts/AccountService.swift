package import Domain
import Foundation
package import Ports
package import Storage

/// Operations of users on their own account, except for the password, which `LoginService` handles.
package struct AccountService: Sendable {
    private let stores: Stores
    private let confirmation: PasswordConfirmation
    private let throttle: LoginThrottle
    private let names: NameQuota
    private let authenticator: Authenticator
    private let memberships: MembershipCache
    private let receipts: ReceiptSearch
    private let secret: BallotSecret
    private let clock: WallClock

    /// - Parameters:
    ///   - secrets: for the counters of failed logins, and for receipts, which can only be found with it and the
    ///     owner's id.
    ///   - authenticator: told when an account is deleted, so that this process knows at once; likewise `memberships`.
    package init(
        stores: Stores, secrets: Secrets, hasher: PasswordHasher, authenticator: Authenticator,
        memberships: MembershipCache, clock: WallClock
    ) {
        self.stores = stores
        confirmation = PasswordConfirmation(stores: stores, secrets: secrets, hasher: hasher, clock: clock)
        throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        names = NameQuota(kind: "user", store: stores.rows, clock: clock)
        self.authenticator = authenticator
        self.memberships = memberships
        secret = secrets.ballot
        receipts = ReceiptSearch(
            store: stores.rows, ballots: stores.ballots, secret: secrets.ballot)
        self.clock = clock
    }

    /// The caller's account.
    /// - Throws: `AppError.unauthenticated` if it no longer exists.
    package func account(of principal: Principal) async throws -> User {
        guard let user = try await find(principal) else { throw AppError.sessionEnded }
        return user
    }

    /// The caller's account; `nil` if it no longer exists.
    package func find(_ principal: Principal) async throws -> User? {
        try await stores.user(principal.userID)
    }

    /// Changes the values set in `change`.
    /// - Returns: the account after the change.
    /// - Throws: `AppError`: `unprocessable` for an unknown language, an hour out of range or an invalid name, `conflict`
    ///   (`name-taken`), `tooManyRequests` (`too-many-names`), `notFound` for a team the caller is not in,
    ///   `unauthenticated` if the account no longer exists.
    package func change(_ change: AccountChange, by principal: Principal) async throws -> User {
        let notifications = try change.notifications?.validated()
        let displayName = try change.displayName.map { text throws(AppError) -> UserUpdate.DisplayNameChange in
            text.allSatisfy(\.isWhitespace) ? .cleared : .set(try DisplayName(text))
        }
        let followsBrowser = change.locale == AccountLanguage.unknown.tag
        if let locale = change.locale, !followsBrowser, MailLocale(installed: locale) == nil {
            throw AppError.noSuchLanguage
        }
        let user = try await account(of: principal)
        let name = try change.name.map { text throws(AppError) in try UserName(text) }
        if let name, UserName.folded(name.text) != UserName.folded(user.name) { try await names.take(by: user.id) }
        // Mails cannot follow a browser: they keep their present language.
        let locale = followsBrowser ? AccountLanguage.seen(user.language.locale).tag : change.locale
        try await stores.transaction {
            try $0.apply(
                UserUpdate(
                    name: name, displayName: displayName, defaultTeamID: change.defaultTeamID, locale: locale,
                    notifications: notifications), to: user.id)
        }
        return try await account(of: principal)
    }

    /// Records the language of the pages on which a user logs in, for mails to users who have chosen none. It is
    /// recorded only at login: a login reveals nothing about a vote, a page view might. If the account's language has
    /// changed since `user` was read, by a choice or another login, that one is kept.
    /// - Throws: `AppError.notFound` if the account no longer exists.
    package func record(_ seen: MailLocale, of user: User) async throws {
        guard !user.language.isChosen, user.language.locale != seen else { return }
        do {
            try await stores.transaction {
                try $0.apply(UserUpdate(locale: AccountLanguage.seen(seen).tag, ifLocaleIs: user.locale), to: user.id)
            }
        } catch let error as AppError where error == .changedMeanwhile {
            // A choice takes precedence, and another login's language is as good as this one.
        }
    }

    /// All data stored about the caller.
    /// - Parameters:
    ///   - texts: for the explanation in the user's language.
    ///   - pictures: creates the link to the caller's picture.
    /// - Throws: `AppError.unauthenticated` if the account no longer exists.
    package func export(
        by principal: Principal, texts: Texts, pictures: PictureLinks
    ) async throws -> DataExport {
        let user = try await account(of: principal)
        let teams = try await stores.read { try $0.teams(of: user.id) }
        let tokens = try await stores.read { try $0.tokens(of: user.id.description) }
        let failures = try await throttle.failures(of: user)
        let supported = try await supportedActions(of: user.id)
        return DataExport(
            exported: clock.now, user: user, words: texts[MailLocale(tag: user.locale)], pictures: pictures,
            teams: teams,
            absences: try await stores.read { try $0.absences(of: user.id) },
            // The distant past includes expired sessions that are still stored.
            sessions: try await stores.read { try $0.sessions(of: user.id, at: .distantPast) },
            presentSession: principal.sessionID, devices: try await stores.read { try $0.devices(of: user.id) },
            identities: try await stores.read { try $0.identities(of: user.id) },
            invitations: try await stores.read { try $0.invitations(email: user.email) },
            sentInvitations: try await stores.read { try $0.invitations(by: user.id) },
            messages: try await stores.read { try $0.deliveries(requestedBy: user.id) },
            registration: try await stores.read { try $0.registration(email: user.email) },
            actions: try await stores.read { try $0.actions(assignedTo: user.id) }, supported: supported,
            tokens: tokens, failures: failures,
            jobs: try await stores.jobs.list(naming: user.id),
            votedIn: try await receipts.sprintsVotedIn(by: user.id))
    }

    private func supportedActions(of userID: User.ID) async throws -> [Action] {
        var actions: [Action] = []
        for support in try await stores.supportMarks(by: userID, secret: secret) {
            if let action = try await stores.read({ try $0.action(support.action) }) { actions.append(action) }
        }
        return actions
    }

    /// Permanently deletes the caller's account and, at once, everything important: sessions, memberships, receipts.
    /// The worker removes the rest, by a job stored in the same transaction. Tallies and feedback stay, because nothing
    /// in them is linked to a user. For each running sprint in which the user voted, a receipt for their address stays
    /// until its end (`Receipt`).
    /// - Parameter proof: how the caller has confirmed their identity.
    /// - Throws: what `PasswordConfirmation.confirm` throws; `AppError.conflict` (`last-admin`, `last-lead`) saying
    ///   what to do first; then nothing was deleted.
    package func delete(_ principal: Principal, proof: DeletionProof) async throws {
        let user: User
        switch proof {
        case .password(let password): user = try await confirmation.confirm(principal, password: password)
        case .token: user = try await account(of: principal)
        }
        try await end(user, by: .user(user.id))
    }

    /// Deletes another user's account, with the same effect as if they did it themselves.
    /// - Throws: `AppError`: `forbidden` unless the caller is an admin or the operator, `notFound`, `unprocessable`
    ///   (`own-account`), `conflict` (`last-admin`, `last-lead`); then nothing was deleted.
    package func delete(_ userID: User.ID, by caller: Caller) async throws {
        try await stores.requireAdmin(caller)
        guard caller != .user(userID) else {
            throw AppError(
                .unprocessable, "You can delete your own account only in your settings.", reason: .ownAccount)
        }
        guard let user = try await stores.user(userID) else { throw AppError.noSuchUser }
        do {
            try await end(user, by: caller)
        } catch let error as AppError where error.reason == .lastLead {
            throw AppError(
                .conflict,
                "This is the only lead of a team that has other members. Please make another member a lead first.",
                reason: .lastLead)
        } catch let error as AppError where error == .lastAdmin {
            throw AppError.otherIsLastAdmin
        } catch let error as AppError where error == .sessionEnded {
            throw AppError.noSuchUser
        }
    }

    private func end(_ user: User, by caller: Caller) async throws {
        let traces = try await remove(user, by: caller)
        authenticator.forgetAll(of: user.id)
        for teamID in traces.teamIDs { memberships.forget(user.id, in: teamID) }
    }

    /// - Returns: the data that the worker must remove.
    private func remove(_ user: User, by caller: Caller) async throws -> AccountTraces {
        let admin = caller == .user(user.id) ? nil : caller.userID
        var user = user
        while true {
            let traces = try await stores.traces(of: user, throttle: throttle)
            do {
                try await stores.transaction { [user] rows in
                    try rows.deleteUser(
                        user.id, ifPictureIs: traces.picture, ifAdmin: admin, secret: secret,
                        enqueueing: try traces.removal(at: clock.now))
                }
                return traces
            } catch let error as AppError where error == .changedMeanwhile {
                // Either the picture changed in between, which is too rare to repeat for long, or the caller lost their
                // rights, which throws here.
                if let admin { try await stores.requireAdmin(.user(admin)) }
                guard let current = try await stores.user(user.id) else { throw AppError.sessionEnded }
                user = current
            } catch let error as AppError where error.code == .notFound {
                // Another request of the same user was faster.
                throw AppError.sessionEnded
            }
        }
    }
}

/// A partial change of one's own account; `nil` leaves a value unchanged.
package struct AccountChange: Sendable {
    /// User name as typed; not yet validated.
    package let name: String?
    /// Display name as typed; blank removes it. Not yet validated.
    package let displayName: String?
    /// Language of mails and pages, `en` or `de`, or `und` to follow the browser; not yet validated.
    package let locale: String?
    /// Changes of the notifications.
    package let notifications: NotificationChange?
    /// The team used by the classic routes; one of the user's own.
    package let defaultTeamID: Team.ID?

    /// By default changes nothing.
    package init(
        name: String? = nil, displayName: String? = nil, locale: String? = nil,
        notifications: NotificationChange? = nil, defaultTeamID: Team.ID? = nil
    ) {
        self.name = name
        self.displayName = displayName
        self.locale = locale
        self.notifications = notifications
        self.defaultTeamID = defaultTeamID
    }
}

/// How a user confirms the deletion of their account.
package enum DeletionProof: Sendable {
    /// With their password, or without one shortly after a login.
    case password(String?)
    /// With the token alone: the first clients send nothing else, and ask their user twice.
    case token
}

extension Stores {
    /// What the worker removes after the deletion of a user.
    func traces(of user: User, throttle: LoginThrottle) async throws -> AccountTraces {
        AccountTraces(
            userID: user.id,
            teamIDs: try await read { try $0.teams(of: user.id) }.map(\.team.id),
            invitationIDs: try await read { try $0.invitations(email: user.email) }.map(\.id),
            registrationID: try await read { try $0.registration(email: user.email) }?.id,
            picture: user.picture?.id, failureKeys: throttle.keys(of: user).map { Data($0.key) })
    }
}
