/// The input for an invitation.
public struct NewInvitation: Sendable {
    /// The invited address.
    public let email: EmailAddress
    /// The role of a new account.
    public let role: User.Role
    /// The team the account will join, if any.
    public let teamID: Team.ID?
    /// The role in that team.
    public let teamRole: Membership.Role
    /// Language of mail and page; `nil` means the inviter's language.
    public let locale: MailLocale?

    /// By default the person becomes a member of the installation without a team.
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

/// The outcome of an attempt to invite a person.
public enum InvitationOutcome: Hashable, Sendable {
    /// A mail is being sent, whether or not the address has an account.
    case invited(Invitation)
    /// The address belongs to a team member whom the inviter may see.
    case alreadyAMember
    /// The address has an account, and there is no team to join. Reported only to callers who may list accounts.
    case alreadyAUser
}

/// The outcome of one line of a list.
public struct InvitationLineReport: Sendable {
    /// Line number in the file, starting at 1, where the entry begins.
    public let number: Int
    /// The address as written in the file.
    public let email: String
    /// The outcome, or why the line was rejected.
    public let result: Result<InvitationOutcome, AppError>
}

/// What a link invites to.
public struct InvitationOffer: Hashable, Sendable {
    /// The invitation.
    public let invitation: Invitation
    /// The team's name, if there is a team.
    public let teamName: String?
    /// The existing account of the invited address, which joins the team; `nil` if a new one is needed.
    public let account: Account?

    /// The account that would join.
    public struct Account: Hashable, Sendable {
        /// The user name.
        public let name: String
        /// The language its owner chose.
        public let locale: String
    }

    /// Language of the page.
    public var locale: String { account?.locale ?? invitation.locale }
}
