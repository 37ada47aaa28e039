/// The jobs that end in a mail; the raw value is their `Job.kind`. `MailJobs` enqueues them, a handler of the worker
/// for each sends them.
public enum MailJobKind: String, Sendable, CaseIterable {
    /// A link to choose a new password. `UserMailPayload`; the id of no user at all asks for no mail.
    case passwordReset = "mail.passwordReset"
    /// Tells that the password was changed. `UserMailPayload`.
    case passwordChanged = "mail.passwordChanged"
    /// A link to confirm the new address, to that address. `UserMailPayload`.
    case emailChange = "mail.emailChange"
    /// Tells the old address that there is a new one. `EmailChangedMailPayload`.
    case emailChanged = "mail.emailChanged"
    /// Tells that somebody can log in through an OpenID provider from now on. `IdentityLinkedMailPayload`.
    case identityLinked = "mail.identityLinked"
    /// A link to accept an invitation. `InvitationMailPayload`.
    case invitation = "mail.invitation"
    /// A link to confirm a registration. `RegistrationMailPayload`.
    case registration = "mail.registration"
}

/// Parameters of a mail to a user. No address: it is read when the mail is written.
public struct UserMailPayload: Codable, Hashable, Sendable {
    /// Who gets the mail.
    public let userID: User.ID

    /// A mail to this user.
    public init(userID: User.ID) {
        self.userID = userID
    }
}

/// Parameters of the mail to an address that is nobody's any more.
public struct EmailChangedMailPayload: Codable, Hashable, Sendable {
    /// Whose address was changed.
    public let userID: User.ID
    /// The address before. It stands in the job, since the user does not have it any more; done jobs are removed after
    /// two days.
    public let oldEmail: String

    /// A mail to the address that the user had.
    public init(userID: User.ID, oldEmail: String) {
        self.userID = userID
        self.oldEmail = oldEmail
    }
}

/// Parameters of the mail about a new way to log in.
public struct IdentityLinkedMailPayload: Codable, Hashable, Sendable {
    /// Whose account.
    public let userID: User.ID
    /// What the settings call the provider.
    public let provider: String

    /// A mail to the user about this provider.
    public init(userID: User.ID, provider: String) {
        self.userID = userID
        self.provider = provider
    }
}

/// Parameters of an invitation's mail.
public struct InvitationMailPayload: Codable, Hashable, Sendable {
    /// Which one.
    public let invitationID: Invitation.ID

    /// A mail for this invitation.
    public init(invitationID: Invitation.ID) {
        self.invitationID = invitationID
    }
}

/// Parameters of the mail that confirms a registration.
public struct RegistrationMailPayload: Codable, Hashable, Sendable {
    /// Which one.
    public let registrationID: Registration.ID

    /// A mail for this registration.
    public init(registrationID: Registration.ID) {
        self.registrationID = registrationID
    }
}
