package import Domain
import Foundation
package import Ports
package import Storage

/// Invitations: who may create, see and end them, and the effect of accepting one.
///
/// Admins and the operator invite anyone, leads invite into their own teams. The invited person must always accept,
/// with or without an account: the worker writes the mail with the link, and the inviter gets the same response. A lead
/// who is a guest here sees only the members of their teams and so must not learn addresses from invitations: they see
/// only their own, and inviting a current team member gives the same response as any other.
package struct InvitationService: Sendable {
    /// Mails to one address within `mailWindow`, so that our service cannot be used to flood a mailbox.
    package static let mailLimit = 3
    /// Seconds.
    static let mailWindow: TimeInterval = 3_600
    /// Invitations, including repeated ones, that one user may send within `inviterWindow`: more than a department has
    /// people, but too few for spam.
    package static let inviterLimit = 200
    /// Seconds. Quota entries are kept no longer than this (`OneTimeToken.quotaHorizon`).
    static let inviterWindow: TimeInterval = 86_400

    /// The rules for a new account's password.
    package let policy: PasswordPolicy
    let store: any Store
    let jobs: any JobStore
    /// The key for receipts.
    let secret: BallotSecret
    let hasher: PasswordHasher
    let clock: WallClock
    private let mails: MailJobs

    /// Creates a service over the stores of one database.
    package init(
        stores: Stores, secret: BallotSecret, hasher: PasswordHasher, policy: PasswordPolicy = .length,
        clock: WallClock
    ) {
        store = stores.rows
        jobs = stores.jobs
        self.secret = secret
        mails = MailJobs(jobs: jobs, clock: clock)
        self.hasher = hasher
        self.policy = policy
        self.clock = clock
    }

    /// Invites a person. If the process crashes halfway, the invitation may exist without a mail: a retry returns
    /// `already-invited`, and `resend` sends the mail.
    /// - Throws: `AppError`: `forbidden` for a role or team the caller may not invite to: nobody but the operator invites
    ///   admins; `notFound` for the team, `conflict` (`already-invited`), `unprocessable` (`own-invitation`), `tooManyRequests` (`too-many-mails`,
    ///   `too-many-invitations`).
    package func invite(_ new: NewInvitation, by caller: Caller) async throws -> InvitationOutcome {
        try await invite(new, by: try await inviter(caller))
    }

    /// Pending invitations ordered by address: all of them for admins and the operator, a team's for its leads, and
    /// only their own ones for a lead who is a guest here. Expired invitations are included until they are removed,
    /// within the hour; they can be sent again.
    /// - Parameter after: the position of the previous page's last invitation.
    /// - Throws: `AppError`: `forbidden`, `notFound` for the team.
    package func list(
        teamID: Team.ID?, after: Invitation.Position? = nil, limit: Int = 200, by caller: Caller
    ) async throws -> [Invitation] {
        let inviter = try await inviter(caller)
        _ = try await requireSay(inviter, over: teamID)
        return try await store.read {
            try $0.invitations(
                teamID: teamID, inviterID: inviter.seesOthers ? nil : inviter.user?.id, after: after, limit: limit)
        }
    }

    /// Sends the mail of an invitation again. Links in earlier mails stay valid until they expire. The caller becomes
    /// the inviter.
    /// - Throws: `AppError`: `notFound`, `forbidden` for an invitation the caller may not create, `unprocessable`
    ///   (`own-invitation`), `tooManyRequests` (`too-many-mails`, `too-many-invitations`).
    package func resend(_ id: Invitation.ID, by caller: Caller) async throws -> Invitation {
        let inviter = try await inviter(caller)
        var invitation = try await managed(id, by: inviter)
        try requireAllowed(invitation, by: inviter)
        if let teamID = invitation.teamID, let team = try await store.team(teamID) {
            try await rejectOwn(invitation, into: team, by: inviter)
        }
        try await takeQuota(for: invitation, by: inviter)
        invitation.sent = today
        invitation.inviterID = inviter.user?.id
        try await store.transaction { try $0.setSent(today, of: id, by: inviter.user?.id) }
        try await mails.invitation(invitation.id)
        return invitation
    }

    /// Withdraws an invitation. Its links become invalid, including one in a mail that is being written.
    /// - Throws: `AppError.notFound`.
    package func withdraw(_ id: Invitation.ID, by caller: Caller) async throws {
        _ = try await managed(id, by: try await inviter(caller))
        guard try await store.write({ try $0.deleteInvitation(id) }) else { throw AppError.noSuchInvitation }
        try await store.write { try $0.deleteTokens(purpose: .invitation, subject: id.description) }
    }
}

// MARK: - One invitation

extension InvitationService {
    /// The facts about an inviter that matter here; no user means the operator.
    struct Inviter {
        let user: User?

        var managesEverything: Bool { user.map { $0.role == .admin } ?? true }
        var seesOthers: Bool { user?.role != .guest }
    }

    private var today: CalendarDay { CalendarDay(instant: clock.now, in: .gmt) }

    /// - Throws: `AppError.forbidden` for a disabled or deleted account.
    func inviter(_ caller: Caller) async throws -> Inviter {
        guard case .user(let userID) = caller else { return Inviter(user: nil) }
        guard let user = try await store.user(userID), !user.isDisabled else { throw AppError.notAllowed }
        return Inviter(user: user)
    }

    /// Like the public `invite`, for one entry of a list.
    func invite(_ new: NewInvitation, by inviter: Inviter) async throws -> InvitationOutcome {
        let outcome = try await outcome(of: new, by: inviter)
        guard case .invited(let invitation) = outcome else { return outcome }
        try await store.transaction { [invitation] rows in try rows.add(invitation) }
        do {
            try await takeQuota(for: invitation, by: inviter)
            try await mails.invitation(invitation.id)
        } catch {
            // An invitation without a mail would only block the next attempt.
            _ = try await store.write { [invitation] rows in try rows.deleteInvitation(invitation.id) }
            throw error
        }
        return outcome
    }

    /// What `invite` would return, or throw if no mail had been sent today. Changes nothing.
    func check(_ new: NewInvitation, by inviter: Inviter) async throws -> InvitationOutcome {
        let outcome = try await outcome(of: new, by: inviter)
        guard case .invited(let invitation) = outcome else { return outcome }
        let pending = try await store.read { [invitation] rows in try rows.invitations(email: invitation.email) }
        if pending.contains(where: { $0.teamID == invitation.teamID }) { throw AppError.alreadyInvited }
        return outcome
    }

    /// The invitation to be stored and mailed, or the reason why there is nothing to do.
    private func outcome(of new: NewInvitation, by inviter: Inviter) async throws -> InvitationOutcome {
        let team = try await requireSay(inviter, over: new.teamID)
        let invitation = Invitation(
            email: new.email.text, role: new.role, teamID: new.teamID, teamRole: new.teamRole,
            locale: (new.locale ?? MailLocale(tag: inviter.user?.locale ?? "en")).rawValue,
            inviterID: inviter.user?.id, sent: today)
        try requireAllowed(invitation, by: inviter)
        // A role that is changed afterwards asks for the password of who changes it, which a stolen session does not
        // have. The operator has none to ask for.
        guard new.role != .admin || inviter.user == nil else { throw AppError.invitesNoAdmin }
        if let account = try await store.user(login: new.email.text) {
            guard let team else { return .alreadyAUser }
            if inviter.seesOthers, try await store.membership(of: account.id, in: team.id) != nil {
                return .alreadyAMember
            }
        }
        if let team { try await rejectOwn(invitation, into: team, by: inviter) }
        return .invited(invitation)
    }

    /// Requires that the inviter manages the team, or the whole installation if no team is given.
    /// - Returns: the given team.
    private func requireSay(_ inviter: Inviter, over teamID: Team.ID?) async throws -> Team? {
        guard let teamID else {
            guard inviter.managesEverything else { throw AppError.notAllowed }
            return nil
        }
        if let user = inviter.user, user.role != .admin {
            guard let membership = try await store.membership(of: user.id, in: teamID) else {
                throw AppError.noSuchTeam
            }
            guard membership.role == .lead else { throw AppError.notAllowed }
        }
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        return team
    }

    /// Call after `requireSay` or `managed`, which let only admins, the operator and leads of the team pass.
    private func requireAllowed(_ invitation: Invitation, by inviter: Inviter) throws(AppError) {
        guard let user = inviter.user else { return }
        guard invitation.isAllowed(by: user, leadsTeam: invitation.teamID != nil) else { throw AppError.notAllowed }
    }

    /// An admin may join a team without members that never had a member who left something to read: they become its
    /// first lead. A sub-address of one's own mailbox is one's own.
    private func rejectOwn(_ invitation: Invitation, into team: Team, by inviter: Inviter) async throws {
        let subaddressing = secret.subaddressing
        guard let user = inviter.user,
            subaddressing.mailbox(of: user.email) == subaddressing.mailbox(of: invitation.email)
        else { return }
        let hasPast = try await store.read { try $0.hasPast(team.id) }
        guard team.memberCount == 0, !hasPast else { throw AppError.ownInvitation }
    }

    /// Other callers get `notFound`.
    private func managed(_ id: Invitation.ID, by inviter: Inviter) async throws -> Invitation {
        guard let invitation = try await store.read({ try $0.invitation(id) }) else { throw AppError.noSuchInvitation }
        if inviter.managesEverything { return invitation }
        guard let user = inviter.user, let teamID = invitation.teamID,
            try await store.membership(of: user.id, in: teamID)?.role == .lead,
            inviter.seesOthers || invitation.inviterID == user.id
        else { throw AppError.noSuchInvitation }
        return invitation
    }

    /// A mail counts towards the inviter's quota even if the address has reached its limit.
    private func takeQuota(for invitation: Invitation, by inviter: Inviter) async throws {
        if let user = inviter.user {
            let isFree = try await takePlace(
                of: "inviter \(user.id)", limit: Self.inviterLimit, window: Self.inviterWindow)
            guard isFree else {
                throw AppError(
                    .tooManyRequests,
                    "You’ve invited \(Self.inviterLimit) people in one day. Please continue tomorrow.",
                    reason: .tooManyInvitations, retryAfter: Int(Self.inviterWindow))
            }
        }
        let isFree = try await takePlace(
            of: "invitation \(EmailAddress.folded(invitation.email))", limit: Self.mailLimit, window: Self.mailWindow)
        guard isFree else {
            throw AppError(
                .tooManyRequests, "Too many e-mails were sent to this address. Please try again in an hour.",
                reason: .tooManyMails, retryAfter: Int(Self.mailWindow))
        }
    }

    private func takePlace(of subject: String, limit: Int, window: TimeInterval) async throws -> Bool {
        // Not keyed with a secret: while the entry is kept, the value it is derived from is, or was, stored next to it.
        let key = SecureBytes.sha256(Data(subject.utf8))
        return try await store.write { try $0.takeQuota(key, limit: limit, window: window, at: clock.now) }
    }
}
