package import Domain

/// The input for an invitation.
package struct NewInvitation: Sendable {
    /// The invited address.
    package let email: EmailAddress
    /// The role of a new account.
    package let role: User.Role
    /// The team the account will join, if any.
    package let teamID: Team.ID?
    /// The role in that team.
    package let teamRole: Membership.Role
    /// Language of mail and page; `nil` means the inviter's language.
    package let locale: MailLocale?

    /// By default the person becomes a member of the installation without a team.
    package init(
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
package enum InvitationOutcome: Hashable, Sendable {
    /// A mail is being sent, whether or not the address has an account.
    case invited(Invitation)
    /// The address belongs to a team member whom the inviter may see.
    case alreadyAMember
    /// The address has an account, and there is no team to join. Reported only to callers who may list accounts.
    case alreadyAUser
}

/// The outcome of one line of a list.
package struct InvitationLineReport: Sendable {
    /// Line number in the file, starting at 1, where the entry begins.
    package let number: Int
    /// The address as written in the file.
    package let email: String
    /// The outcome, or why the line was rejected.
    package let result: Result<InvitationOutcome, AppError>
    /// The column of the file, or its number, with what is invalid; `nil` if it is not in one.
    package var column: String?
}

/// The offer behind a link.
package struct InvitationOffer: Hashable, Sendable {
    /// The invitation.
    package let invitation: Invitation
    /// The team's name, if there is a team.
    package let teamName: String?
    /// The existing account of the invited address, which joins the team; `nil` if a new one is needed.
    package let account: Account?

    /// The account that would join.
    package struct Account: Hashable, Sendable {
        /// The user name.
        package let name: String
        /// The language its owner chose.
        package let locale: String
    }

    /// Language of the page.
    package var locale: String { account?.locale ?? invitation.locale }
}
