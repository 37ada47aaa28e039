public import Foundation

/// All that decides what an invitation is worth at one moment, and what follows from it. Both stores read it in the
/// transaction in which somebody accepts, pages and the worker to know beforehand.
public struct InvitationFacts: Sendable {
    /// The invitation.
    public let invitation: Invitation
    /// Who made it or sent it last; `nil` for the operator, and for somebody whose account is gone.
    public let inviter: User?
    /// The inviter's place in the team it is into.
    let inviterRole: Membership.Role?
    /// The team it is into; `nil` for none, and for one that is gone.
    public let team: Team?
    /// Whether members of that team have left anything to read, be they there or not (`TeamStore.hasPast`).
    let hasPast: Bool
    /// The account of the invited address, if it has one.
    public let account: User?
    /// Whether that account is in the team.
    public let isMember: Bool

    /// Reads the facts one after the other, to tell somebody about them. What changes meanwhile is found when somebody
    /// accepts.
    public static func read(_ invitation: Invitation, from stores: Stores) async throws -> InvitationFacts {
        func role(of userID: User.ID?) async throws -> Membership.Role? {
            guard let userID, let teamID = invitation.teamID else { return nil }
            return try await stores.teams.membership(of: userID, in: teamID)?.role
        }
        var inviter: User?
        if let id = invitation.inviterID { inviter = try await stores.users.find(id: id) }
        var team: Team?
        var hasPast = false
        if let id = invitation.teamID {
            team = try await stores.teams.find(id: id)
            hasPast = try await stores.teams.hasPast(id)
        }
        let account = try await stores.users.find(login: invitation.email)
        return InvitationFacts(
            invitation: invitation, inviter: inviter, inviterRole: try await role(of: inviter?.id), team: team,
            hasPast: hasPast, account: account, isMember: try await role(of: account?.id) != nil)
    }

    /// Why nobody can accept the invitation, whatever they send with it; `nil` if somebody can.
    public func refusal(at now: Date) -> AppError? {
        guard invitation.sent >= Invitation.oldestDay(at: now), hasStanding else { return .linkExpired }
        guard let account else { return nil }
        guard !account.isDisabled else { return SingleSignOnService.accountDisabled }
        guard invitation.teamID != nil else { return .invitedHasAccount }
        guard let team else { return .linkExpired }
        // Whoever invited another address and made it their own since has invited themselves.
        let isOthers = team.memberCount > 0 || hasPast
        guard account.id != invitation.inviterID || !isOthers || isMember else { return .ownInvitation }
        return nil
    }

    /// Whether who invited may still do so: a lead who lost the team, an account that was disabled or deleted may not.
    private var hasStanding: Bool {
        guard invitation.inviterID != nil else { return true }
        guard let inviter else { return false }
        return invitation.isAllowed(by: inviter, leadsTeam: inviterRole == .lead)
    }

    /// What accepting comes to.
    /// - Parameter token: of the link that was used; one that went to another address does not count.
    /// - Throws: `AppError`: `refused` (`link-expired`, `account-needed` without a newcomer for an address without an
    ///   account, `own-invitation`), `forbidden` (`account-disabled`), `conflict` (`email-taken`).
    func acceptance(
        with token: OneTimeToken, newcomer: InvitedNewcomer?, at now: Date
    ) throws(AppError) -> AcceptedInvitation {
        guard EmailAddress.folded(token.email) == EmailAddress.folded(invitation.email) else {
            throw AppError.linkExpired
        }
        if let refusal = refusal(at: now) { throw refusal }
        guard let account else {
            guard let newcomer else { throw AppError.accountNeeded }
            return AcceptedInvitation(
                user: try newcomer.user(invitedBy: invitation, at: now), isNewAccount: true, teamID: team?.id)
        }
        return AcceptedInvitation(user: account, isNewAccount: false, teamID: isMember ? nil : team?.id)
    }
}

/// What somebody without an account chose for theirs.
public struct InvitedNewcomer: Sendable {
    /// Validated.
    let name: UserName
    /// `crypt(5)` text.
    let passwordHash: String

    /// A name that is fit to be stored, and a password that was hashed.
    public init(name: UserName, passwordHash: String) {
        self.name = name
        self.passwordHash = passwordHash
    }

    fileprivate func user(invitedBy invitation: Invitation, at now: Date) throws(AppError) -> User {
        User(
            name: name, email: try EmailAddress(invitation.email), role: invitation.role, passwordHash: passwordHash,
            // Whoever invites chose it, not the person themself.
            locale: AccountLanguage.seen(MailLocale(tag: invitation.locale)).tag,
            createdOn: CalendarDay(instant: now, in: .gmt))
    }
}

/// Who accepted an invitation.
public struct AcceptedInvitation: Hashable, Sendable {
    /// The account.
    public let user: User
    /// Whether it was made now.
    public let isNewAccount: Bool
    /// The team it joined now, if any.
    public let teamID: Team.ID?
}

extension AppError {
    /// There is nothing to join, and the address has an account by now.
    static let invitedHasAccount = AppError(
        .conflict, "There is an account with this e-mail address by now. Please log in.", reason: "email-taken")
    /// The link is good, but only together with a name and a password.
    static let accountNeeded = AppError(
        .refused, "This address has no account yet. Please choose a user name and a password.",
        reason: "account-needed")
    /// Nobody lets themselves into a team of others: its results are for those whom a member let in. Where nobody is left,
    /// only the operator does.
    static let ownInvitation = AppError(
        .refused,
        """
        You cannot invite yourself into a team that has members, or results of former ones. Please ask one of its leads, or \
        else the operator.
        """,
        reason: "own-invitation")
}
