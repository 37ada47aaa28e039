/// What an invitation is made from.
public struct NewInvitation: Sendable {
    /// Who is invited.
    public let email: EmailAddress
    /// The role a new account will have.
    public let role: User.Role
    /// The team the account will be in, if any.
    public let teamID: Team.ID?
    /// The role in that team.
    public let teamRole: Membership.Role
    /// Language of mail and page; `nil` means that of the one who invites.
    public let locale: MailLocale?

    /// Somebody to be invited, as a member of the installation and in no team unless said otherwise.
    public init(
        email: EmailAddress, role: User.Role = .member, teamID: Team.ID? = nil, teamRole: Membership.Role = .member,
        locale: MailLocale? = nil
    ) {
        self.email = email
        self.role = role
        self.teamID = teamID
        self.teamRole = teamRole
        self.locale = locale
    }
}

/// What became of the wish to invite somebody.
public enum InvitationOutcome: Hashable, Sendable {
    /// A mail is on its way, whether or not the address has an account.
    case invited(Invitation)
    /// The address is that of somebody in the team, whom those who invite may see.
    case alreadyAMember
    /// The address has an account, and there is no team to join. Only those who may list accounts are told.
    case alreadyAUser
}

/// What became of one line of a list.
public struct InvitationLineReport: Sendable {
    /// Line of the file, from 1, where the entry begins.
    public let number: Int
    /// As it stands there.
    public let email: String
    /// What was done, or why nothing was.
    public let result: Result<InvitationOutcome, AppError>
}

/// What a link invites to.
public struct InvitationOffer: Hashable, Sendable {
    /// The invitation.
    public let invitation: Invitation
    /// The team's name, if there is a team.
    public let teamName: String?
    /// The account of the invited address, which joins the team; `nil` if one must be made.
    public let account: Account?

    /// Who would join.
    public struct Account: Hashable, Sendable {
        /// The user name.
        public let name: String
        /// The language its owner chose.
        public let locale: String
    }

    /// Language of the page.
    public var locale: String { account?.locale ?? invitation.locale }
}
