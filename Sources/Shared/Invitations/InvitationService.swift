import Foundation

/// Invitations: who may make, see and end them, and what happens when one is accepted.
///
/// Admins and the operator invite anybody, leads into their own teams. The mail with the link is written by the worker.
public struct InvitationService: Sendable {
    /// Mails to one address within `mailWindow`, so that nobody's mailbox is filled through us.
    public static let mailLimit = 3
    /// Seconds.
    static let mailWindow: TimeInterval = 3_600

    /// What the password of a new account must be.
    public let policy: PasswordPolicy
    private let users: any UserStore
    private let teams: any TeamStore
    private let invitations: any InvitationStore
    private let tokens: any OneTimeTokenStore
    private let mails: MailJobs
    private let hasher: PasswordHasher
    private let clock: WallClock

    /// Over the stores of one database.
    public init(stores: Stores, hasher: PasswordHasher, policy: PasswordPolicy = .length, clock: WallClock) {
        users = stores.users
        teams = stores.teams
        invitations = stores.invitations
        tokens = stores.tokens
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        self.hasher = hasher
        self.policy = policy
        self.clock = clock
    }

    // MARK: - For those who invite

    /// Invites somebody, or adds them to the team if their address has an account. Should the process die half-way, the
    /// invitation may be there without a mail: asked again it is `already-invited`, and `resend` brings the mail.
    /// - Throws: `AppError`: `forbidden` for a role or place the caller has no say in, `notFound` for the team,
    ///   `conflict` (`already-invited`), `tooManyRequests` (`too-many-mails`).
    public func invite(_ new: NewInvitation, by caller: Caller) async throws -> InvitationOutcome {
        try await invite(new, by: try await inviter(caller))
    }

    /// Invites everybody on a list; a line that is refused leaves the others as they are.
    /// - Returns: one report a line, in their order.
    /// - Throws: `AppError`: `forbidden`, `unavailable`. Imported again, the list reports what was done before as such.
    public func importList(_ list: InvitationCSV, by caller: Caller) async throws -> [InvitationLineReport] {
        let inviter = try await inviter(caller)
        var reports: [InvitationLineReport] = []
        for line in list.lines {
            reports.append(try await report(on: line, by: inviter))
        }
        return reports
    }

    /// Pending invitations in order of the address: all of them for admins and the operator, a team's for its leads.
    /// - Parameter after: the address of the last one of the page before.
    /// - Throws: `AppError`: `forbidden`, `notFound` for the team.
    public func list(
        teamID: Team.ID?, after: String? = nil, limit: Int = 200, by caller: Caller
    ) async throws -> [Invitation] {
        try await requireSay(try await inviter(caller), over: teamID)
        return try await invitations.list(teamID: teamID, after: after.map(EmailAddress.folded), limit: limit)
    }

    /// Sends the mail of an invitation again; the links in earlier ones go on working until they expire.
    /// - Throws: `AppError`: `notFound`, `tooManyRequests` (`too-many-mails`).
    public func resend(_ id: Invitation.ID, by caller: Caller) async throws -> Invitation {
        let inviter = try await inviter(caller)
        var invitation = try await managed(id, by: inviter)
        try await takeQuota(for: invitation.email)
        invitation.sent = today
        try await invitations.setSent(id: id, today)
        try await mails.invitation(invitation.id, from: inviter.userID)
        return invitation
    }

    /// Takes an invitation back. Its links count no more, also one in a mail that is being written.
    /// - Throws: `AppError.notFound`.
    public func withdraw(_ id: Invitation.ID, by caller: Caller) async throws {
        _ = try await managed(id, by: try await inviter(caller))
        guard try await invitations.delete(id: id) else { throw Self.noSuchInvitation }
        try await tokens.deleteAll(purpose: .invitation, subject: id.description)
    }

    // MARK: - For those who are invited

    /// What a link invites to. Changes nothing.
    /// - Throws: `AppError`: `refused` (`link-expired`), `conflict` (`email-taken`) if the address has an account by
    ///   now.
    public func offer(token text: String) async throws -> InvitationOffer {
        let found = try await tokens.find(hash: OneTimeToken.hash(of: text), purpose: .invitation, at: clock.now)
        guard let found else { throw AppError.linkExpired }
        return try await offer(for: found)
    }

    /// Makes the account and ends the invitation. Of two who use its links at the same moment one gets the account. A
    /// refusal leaves the link as it was.
    /// - Throws: `AppError`: `refused` (`link-expired`), `conflict` (`name-taken`, `email-taken`), `refused` with
    ///   the reason why name or password will not do, `unavailable`.
    public func accept(token text: String, name: String, password: String) async throws -> User {
        let offer = try await offer(token: text)
        let name = try UserName(name)
        let email = try EmailAddress(offer.invitation.email)
        try policy.check(password, name: name.text, email: email.text)
        guard try await users.find(login: name.text) == nil else { throw AppError.nameTaken }
        let hash = try await hasher.hash(password)
        let (user, invitation) = try await tokens.use(text, for: .invitation, at: clock.now) { token in
            // Read again: it may have been withdrawn while the password was hashed.
            let invitation = try await self.offer(for: token).invitation
            let user = User(
                name: name, email: email, role: invitation.role, passwordHash: hash, locale: invitation.locale,
                createdOn: today)
            try await users.insert(user)
            return (user, invitation)
        }
        try await enter(user, by: invitation)
        _ = try await invitations.delete(id: invitation.id)
        return try await users.find(id: user.id) ?? user
    }

    private func offer(for token: OneTimeToken) async throws -> InvitationOffer {
        guard let id = Invitation.ID(token.subject), let invitation = try await invitations.find(id: id),
            EmailAddress.folded(invitation.email) == EmailAddress.folded(token.email)
        else { throw AppError.linkExpired }
        guard try await users.find(login: invitation.email) == nil else { throw Self.addressHasAccount }
        let team: Team?
        if let teamID = invitation.teamID {
            team = try await teams.find(id: teamID)
        } else {
            team = nil
        }
        return InvitationOffer(invitation: invitation, teamName: team?.name)
    }

    /// A team that is gone by now is no reason to refuse the account.
    private func enter(_ user: User, by invitation: Invitation) async throws {
        guard let teamID = invitation.teamID else { return }
        do {
            try await teams.add(Membership(teamID: teamID, userID: user.id, role: invitation.teamRole))
        } catch let error as AppError where error.code == .notFound {
            return
        }
    }
}

// MARK: - One invitation

extension InvitationService {
    /// Whoever invites, as far as it matters here.
    private struct Inviter {
        let userID: User.ID?
        let isAdmin: Bool
        let locale: String
    }

    private static let addressHasAccount = AppError(
        .conflict, "There is an account with this e-mail address by now. Please log in.", reason: "email-taken")
    private static let noSuchInvitation = AppError(
        .notFound, "There is no such invitation.", reason: "no-such-invitation")

    private var today: CalendarDay { CalendarDay(instant: clock.now, in: .gmt) }

    private func inviter(_ caller: Caller) async throws -> Inviter {
        guard case .user(let userID) = caller else {
            return Inviter(userID: nil, isAdmin: true, locale: MailLocale.english.rawValue)
        }
        guard let user = try await users.find(id: userID), !user.isDisabled else { throw AppError.notAllowed }
        return Inviter(userID: userID, isAdmin: user.role == .admin, locale: user.locale)
    }

    /// Lets pass whoever manages the team, or everything if none is named.
    private func requireSay(_ inviter: Inviter, over teamID: Team.ID?) async throws {
        guard !inviter.isAdmin, let userID = inviter.userID else {
            if let teamID, try await teams.find(id: teamID) == nil { throw AppError.noSuchTeam }
            return
        }
        guard let teamID else { throw AppError.notAllowed }
        guard let membership = try await teams.membership(of: userID, in: teamID) else { throw AppError.noSuchTeam }
        guard membership.role == .lead else { throw AppError.notAllowed }
    }

    private func invite(_ new: NewInvitation, by inviter: Inviter) async throws -> InvitationOutcome {
        try await requireSay(inviter, over: new.teamID)
        guard inviter.isAdmin || new.role != .admin else { throw AppError.notAllowed }
        if let user = try await users.find(login: new.email.text) {
            return try await add(user, to: new)
        }
        let invitation = Invitation(
            email: new.email.text, role: new.role, teamID: new.teamID, teamRole: new.teamRole,
            locale: new.locale?.rawValue ?? MailLocale(tag: inviter.locale).rawValue, sent: today)
        try await invitations.insert(invitation)
        do {
            try await takeQuota(for: invitation.email)
            try await mails.invitation(invitation.id, from: inviter.userID)
        } catch {
            // An invitation nobody hears of would only stand in the way of the next try.
            _ = try await invitations.delete(id: invitation.id)
            throw error
        }
        return .invited(invitation)
    }

    private func add(_ user: User, to new: NewInvitation) async throws -> InvitationOutcome {
        guard let teamID = new.teamID else { return .alreadyAUser }
        do {
            try await teams.add(Membership(teamID: teamID, userID: user.id, role: new.teamRole))
            return .addedToTeam
        } catch let error as AppError where error.code == .conflict {
            return .alreadyAUser
        }
    }

    /// To anybody else it is not there.
    private func managed(_ id: Invitation.ID, by inviter: Inviter) async throws -> Invitation {
        guard let invitation = try await invitations.find(id: id) else { throw Self.noSuchInvitation }
        if inviter.isAdmin { return invitation }
        guard let userID = inviter.userID, let teamID = invitation.teamID,
            try await teams.membership(of: userID, in: teamID)?.role == .lead
        else { throw Self.noSuchInvitation }
        return invitation
    }

    private func takeQuota(for email: String) async throws {
        // Not keyed with a secret: while it counts, the address itself is or was kept beside it.
        let key = SecureBytes.sha256(Data("invitation \(EmailAddress.folded(email))".utf8))
        let isFree = try await tokens.takeQuota(
            key: key, limit: Self.mailLimit, window: Self.mailWindow, at: clock.now)
        guard isFree else {
            throw AppError(
                .tooManyRequests, "This address has had enough mails for now. Please try again in an hour.",
                reason: "too-many-mails", retryAfter: Int(Self.mailWindow))
        }
    }
}

// MARK: - A list

extension InvitationService {
    private func report(on line: InvitationCSV.Line, by inviter: Inviter) async throws -> InvitationLineReport {
        do {
            let entry = try line.entry.get()
            let outcome = try await invite(try await invitation(from: entry), by: inviter)
            return InvitationLineReport(number: line.number, email: entry.email.text, result: .success(outcome))
        } catch let error as AppError where error.code != .unavailable {
            return InvitationLineReport(number: line.number, email: line.email, result: .failure(error))
        }
    }

    private func invitation(from entry: InvitationCSV.Entry) async throws -> NewInvitation {
        var teamID: Team.ID?
        if let name = entry.team {
            teamID = try await teams.find(name: name)?.id
            guard teamID != nil else { throw AppError.noSuchTeam }
        }
        return NewInvitation(
            email: entry.email, role: entry.role, teamID: teamID, teamRole: entry.teamRole, locale: entry.locale)
    }
}
