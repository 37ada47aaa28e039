package import Foundation

/// Everything that decides whether an invitation can be accepted at one moment, and with what effect. It is
/// read in the transaction that accepts the invitation; pages and the worker read it to check beforehand.
package struct InvitationFacts: Sendable {
    package let invitation: Invitation
    /// The user who created it or last sent it; `nil` for the operator or a deleted account.
    package let inviter: User?
    /// The inviter's role in the invitation's team.
    let inviterRole: Membership.Role?
    /// The invitation's team; `nil` if it has none, or the team was deleted.
    package let team: Team?
    /// Whether current or former members of that team have left anything to read (`TeamRows.hasPast`).
    package let hasPast: Bool
    /// The account of the invited address, if it has one.
    package let account: User?
    /// Whether that account is a member of the team.
    package let isMember: Bool

    /// Facts read in one transaction.
    package init(
        invitation: Invitation, inviter: User?, inviterRole: Membership.Role?, team: Team?, hasPast: Bool,
        account: User?, isMember: Bool
    ) {
        self.invitation = invitation
        self.inviter = inviter
        self.inviterRole = inviterRole
        self.team = team
        self.hasPast = hasPast
        self.account = account
        self.isMember = isMember
    }

    /// The reason why the invitation cannot be accepted, whatever the request contains; `nil` if it can.
    package func rejection(at now: Date) -> AppError? {
        guard invitation.sent >= Invitation.oldestDay(at: now), hasStanding else { return .linkExpired }
        guard invitation.teamID == nil || team != nil else { return .linkExpired }
        guard let account else { return nil }
        guard !account.isDisabled else { return AppError.accountDisabled }
        guard let team else { return .invitedHasAccount }
        // An inviter who invited another address and later made it their own has invited themselves.
        let isOthers = team.memberCount > 0 || hasPast
        guard account.id != invitation.inviterID || !isOthers || isMember else { return .ownInvitation }
        return nil
    }

    /// Whether the inviter may still invite: a lead who lost the team, or a disabled or deleted account, may not.
    private var hasStanding: Bool {
        guard invitation.inviterID != nil else { return true }
        guard let inviter else { return false }
        return invitation.isAllowed(by: inviter, leadsTeam: inviterRole == .lead)
    }

    /// The effect of accepting.
    /// - Parameter token: from the link that was used; a token sent to another address is not valid.
    /// - Throws: `AppError`: `unprocessable` (`link-expired`, `account-needed` without a newcomer for an address without an
    ///   account, `own-invitation`), `forbidden` (`account-disabled`), `conflict` (`email-taken`).
    package func acceptance(
        with token: OneTimeToken, newcomer: InvitedNewcomer?, at now: Date
    ) throws(AppError) -> AcceptedInvitation {
        guard EmailAddress.folded(token.email) == EmailAddress.folded(invitation.email) else {
            throw AppError.linkExpired
        }
        if let rejection = rejection(at: now) { throw rejection }
        guard let account else {
            guard let newcomer else { throw AppError.accountNeeded }
            return AcceptedInvitation(
                user: try newcomer.user(invitedBy: invitation, at: now), isNewAccount: true, teamID: team?.id)
        }
        return AcceptedInvitation(user: account, isNewAccount: false, teamID: isMember ? nil : team?.id)
    }
}

/// What an invited person chose for a new account.
package struct InvitedNewcomer: Sendable {
    /// Validated.
    package let name: UserName
    /// `crypt(5)` text.
    let passwordHash: String
    /// The language in which they accepted; `nil` if the request named none.
    let language: MailLocale?

    /// Takes a validated name and a hashed password.
    package init(name: UserName, passwordHash: String, language: MailLocale? = nil) {
        self.name = name
        self.passwordHash = passwordHash
        self.language = language
    }

    fileprivate func user(invitedBy invitation: Invitation, at now: Date) throws(AppError) -> User {
        User(
            name: name, email: try EmailAddress(invitation.email), role: invitation.role, passwordHash: passwordHash,
            // Who read mail and form in this language wants the pages in it too, whatever the browser asks for.
            locale: AccountLanguage.chosen(language ?? MailLocale(tag: invitation.locale)).tag,
            createdOn: CalendarDay(instant: now, in: .gmt))
    }
}

/// The result of an accepted invitation.
package struct AcceptedInvitation: Hashable, Sendable {
    /// The account.
    package let user: User
    /// Whether the acceptance created the account.
    package let isNewAccount: Bool
    /// The team the account joined, if any.
    package let teamID: Team.ID?

    /// The effect of an acceptance.
    package init(user: User, isNewAccount: Bool, teamID: Team.ID?) {
        self.user = user
        self.isNewAccount = isNewAccount
        self.teamID = teamID
    }
}

extension AppError {
    /// There is no team to join, and the address already has an account.
    static let invitedHasAccount = AppError(
        .conflict, "There’s already an account with this e-mail address. Please log in.", reason: .emailTaken)
    /// The link is valid, but requires a name and a password.
    package static let accountNeeded = AppError(
        .unprocessable, "This address has no account yet. Please choose a user name and a password.",
        reason: .accountNeeded)
    /// Only a change of the role asks for the password of who makes someone an admin.
    package static let invitesNoAdmin = AppError(
        .forbidden, "An invitation can’t make someone an admin. Invite them as a member, and change their role then.",
        reason: .notAllowed)
    /// Inviters cannot let themselves into another team: its results are for people whom a member let in. If a
    /// team has no members left, only the operator can.
    package static let ownInvitation = AppError(
        .unprocessable,
        "You can’t invite yourself to a team that has members, or results of former members. Please ask one of its "
            + "leads, or the operator if there’s none left.", reason: .ownInvitation)
}
