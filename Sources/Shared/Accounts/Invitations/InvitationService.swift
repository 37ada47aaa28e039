import Foundation

/// Invitations: who may make, see and end them, and what happens when one is accepted.
///
/// Admins and the operator invite anybody, leads into their own teams. Everybody is asked, with an account or without:
/// the mail with the link is written by the worker, and the answer to who invites is the same. A guest who leads sees nobody
/// else here, and so learns no address from invitations: theirs are the only ones there are, and who is in the team already
/// is invited like anybody.
public struct InvitationService: Sendable {
    /// Mails to one address within `mailWindow`, so that nobody's mailbox is filled through us.
    public static let mailLimit = 3
    /// Seconds.
    static let mailWindow: TimeInterval = 3_600
    /// Invitations, sent again ones included, that one user makes within `inviterWindow`: more than a department has
    /// people, and too few to be of use for mailing strangers.
    public static let inviterLimit = 200
    /// Seconds. Quota entries are kept no longer than this (`OneTimeToken.quotaHorizon`).
    static let inviterWindow: TimeInterval = 86_400

    /// What the password of a new account must be.
    public let policy: PasswordPolicy
    let stores: Stores
    /// What receipts are keyed with.
    let secret: BallotSecret
    let hasher: PasswordHasher
    let clock: WallClock
    private let mails: MailJobs

    /// Over the stores of one database.
    public init(
        stores: Stores, secret: BallotSecret, hasher: PasswordHasher, policy: PasswordPolicy = .length,
        clock: WallClock
    ) {
        self.stores = stores
        self.secret = secret
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        self.hasher = hasher
        self.policy = policy
        self.clock = clock
    }

    /// Invites somebody. Should the process die half-way, the invitation may be there without a mail: asked again it is
    /// `already-invited`, and `resend` brings the mail.
    /// - Throws: `AppError`: `forbidden` for a role or place the caller has no say in, `notFound` for the team,
    ///   `conflict` (`already-invited`), `refused` (`own-invitation`), `tooManyRequests` (`too-many-mails`,
    ///   `too-many-invitations`).
    public func invite(_ new: NewInvitation, by caller: Caller) async throws -> InvitationOutcome {
        try await invite(new, by: try await inviter(caller))
    }

    /// Pending invitations in order of the address: all of them for admins and the operator, a team's for its leads, and
    /// for one who is a guest here those of them that are their own.
    /// Those that expired are among them until they are removed, within the hour; they can be sent again.
    /// - Parameter after: the place of the last one of the page before.
    /// - Throws: `AppError`: `forbidden`, `notFound` for the team.
    public func list(
        teamID: Team.ID?, after: Invitation.Position? = nil, limit: Int = 200, by caller: Caller
    ) async throws -> [Invitation] {
        let inviter = try await inviter(caller)
        _ = try await requireSay(inviter, over: teamID)
        return try await stores.invitations.list(
            teamID: teamID, inviterID: inviter.seesOthers ? nil : inviter.user?.id, after: after, limit: limit)
    }

    /// Sends the mail of an invitation again; the links in earlier ones go on working until they expire. From now on
    /// the caller stands behind it.
    /// - Throws: `AppError`: `notFound`, `forbidden` for one that the caller may not make, `refused`
    ///   (`own-invitation`), `tooManyRequests` (`too-many-mails`, `too-many-invitations`).
    public func resend(_ id: Invitation.ID, by caller: Caller) async throws -> Invitation {
        let inviter = try await inviter(caller)
        var invitation = try await managed(id, by: inviter)
        try requireAllowed(invitation, by: inviter)
        if let teamID = invitation.teamID, let team = try await stores.teams.find(id: teamID) {
            try await refuseOwn(invitation, into: team, by: inviter)
        }
        try await takeQuota(for: invitation, by: inviter)
        invitation.sent = today
        invitation.inviterID = inviter.user?.id
        try await stores.invitations.setSent(id: id, today, by: inviter.user?.id)
        try await mails.invitation(invitation.id)
        return invitation
    }

    /// Takes an invitation back. Its links count no more, also one in a mail that is being written.
    /// - Throws: `AppError.notFound`.
    public func withdraw(_ id: Invitation.ID, by caller: Caller) async throws {
        _ = try await managed(id, by: try await inviter(caller))
        guard try await stores.invitations.delete(id: id) else { throw AppError.noSuchInvitation }
        try await stores.tokens.deleteAll(purpose: .invitation, subject: id.description)
    }
}

// MARK: - One invitation

extension InvitationService {
    /// Whoever invites, as far as it matters here; without a user it is the operator.
    struct Inviter {
        let user: User?

        var managesEverything: Bool { user.map { $0.role == .admin } ?? true }
        var seesOthers: Bool { user?.role != .guest }
    }

    private var today: CalendarDay { CalendarDay(instant: clock.now, in: .gmt) }

    /// - Throws: `AppError.forbidden` for somebody who was disabled or deleted.
    func inviter(_ caller: Caller) async throws -> Inviter {
        guard case .user(let userID) = caller else { return Inviter(user: nil) }
        guard let user = try await stores.users.find(id: userID), !user.isDisabled else { throw AppError.notAllowed }
        return Inviter(user: user)
    }

    /// As the public `invite`, for one of many.
    func invite(_ new: NewInvitation, by inviter: Inviter) async throws -> InvitationOutcome {
        let team = try await requireSay(inviter, over: new.teamID)
        let invitation = Invitation(
            email: new.email.text, role: new.role, teamID: new.teamID, teamRole: new.teamRole,
            locale: (new.locale ?? MailLocale(tag: inviter.user?.locale ?? "en")).rawValue,
            inviterID: inviter.user?.id, sent: today)
        try requireAllowed(invitation, by: inviter)
        if let account = try await stores.users.find(login: new.email.text) {
            guard let team else { return .alreadyAUser }
            if inviter.seesOthers, try await stores.teams.membership(of: account.id, in: team.id) != nil {
                return .alreadyAMember
            }
            try await refuseOwn(invitation, into: team, by: inviter)
        }
        try await stores.invitations.insert(invitation)
        do {
            try await takeQuota(for: invitation, by: inviter)
            try await mails.invitation(invitation.id)
        } catch {
            // An invitation nobody hears of would only stand in the way of the next try.
            _ = try await stores.invitations.delete(id: invitation.id)
            throw error
        }
        return .invited(invitation)
    }

    /// Lets pass whoever manages the team, or everything if none is named.
    /// - Returns: the team that is named.
    private func requireSay(_ inviter: Inviter, over teamID: Team.ID?) async throws -> Team? {
        guard let teamID else {
            guard inviter.managesEverything else { throw AppError.notAllowed }
            return nil
        }
        if let user = inviter.user, user.role != .admin {
            guard let membership = try await stores.teams.membership(of: user.id, in: teamID) else {
                throw AppError.noSuchTeam
            }
            guard membership.role == .lead else { throw AppError.notAllowed }
        }
        guard let team = try await stores.teams.find(id: teamID) else { throw AppError.noSuchTeam }
        return team
    }

    /// After `requireSay` or `managed`, which let nobody pass but admins, the operator and leads of the team.
    private func requireAllowed(_ invitation: Invitation, by inviter: Inviter) throws(AppError) {
        guard let user = inviter.user else { return }
        guard invitation.isAllowed(by: user, leadsTeam: invitation.teamID != nil) else { throw AppError.notAllowed }
    }

    /// Into a team without members an admin may, if it never had any who left something to read: they are its first lead.
    private func refuseOwn(_ invitation: Invitation, into team: Team, by inviter: Inviter) async throws {
        guard let user = inviter.user, EmailAddress.folded(user.email) == EmailAddress.folded(invitation.email) else {
            return
        }
        let hasPast = try await stores.teams.hasPast(team.id)
        guard team.memberCount == 0, !hasPast else { throw AppError.ownInvitation }
    }

    /// To anybody else it is not there.
    private func managed(_ id: Invitation.ID, by inviter: Inviter) async throws -> Invitation {
        guard let invitation = try await stores.invitations.find(id: id) else { throw AppError.noSuchInvitation }
        if inviter.managesEverything { return invitation }
        guard let user = inviter.user, let teamID = invitation.teamID,
            try await stores.teams.membership(of: user.id, in: teamID)?.role == .lead,
            inviter.seesOthers || invitation.inviterID == user.id
        else { throw AppError.noSuchInvitation }
        return invitation
    }

    /// A mail counts for who asks for it, even if the address has had enough.
    private func takeQuota(for invitation: Invitation, by inviter: Inviter) async throws {
        if let user = inviter.user {
            let isFree = try await takePlace(
                of: "inviter \(user.id)", limit: Self.inviterLimit, window: Self.inviterWindow)
            guard isFree else {
                throw AppError(
                    .tooManyRequests,
                    "You have invited \(Self.inviterLimit) people within a day. Please go on tomorrow.",
                    reason: "too-many-invitations", retryAfter: Int(Self.inviterWindow))
            }
        }
        let isFree = try await takePlace(
            of: "invitation \(EmailAddress.folded(invitation.email))", limit: Self.mailLimit, window: Self.mailWindow)
        guard isFree else {
            throw AppError(
                .tooManyRequests, "This address has had enough mails for now. Please try again in an hour.",
                reason: "too-many-mails", retryAfter: Int(Self.mailWindow))
        }
    }

    private func takePlace(of subject: String, limit: Int, window: TimeInterval) async throws -> Bool {
        // Not keyed with a secret: while it counts, what it is made from is or was kept beside it.
        let key = SecureBytes.sha256(Data(subject.utf8))
        return try await stores.tokens.takeQuota(key: key, limit: limit, window: window, at: clock.now)
    }
}
