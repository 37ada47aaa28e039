import Foundation

/// The jobs that send a mail; the raw value is their `Job.kind`. `MailJobs` enqueues them, and the worker has a handler
/// for each.
package enum MailJobKind: String, Sendable, CaseIterable {
    /// A link to choose a new password. `UserMailPayload`; an unknown user id sends no mail.
    case passwordReset = "mail.passwordReset"
    /// A notice that the password was changed. `UserMailPayload`.
    case passwordChanged = "mail.passwordChanged"
    /// A link to confirm the new address, to that address. `UserMailPayload`.
    case emailChange = "mail.emailChange"
    /// A notice to the old address that there is a new one. `EmailChangedMailPayload`.
    case emailChanged = "mail.emailChanged"
    /// A notice that the account can now be used through an OpenID provider. `IdentityLinkedMailPayload`.
    case identityLinked = "mail.identityLinked"
    /// A link to accept an invitation. `InvitationMailPayload`.
    case invitation = "mail.invitation"
    /// A link to confirm a registration. `RegistrationMailPayload`.
    case registration = "mail.registration"
    /// A notice to an administrator that someone has no team. `TeamRequestMailPayload`.
    case teamRequest = "mail.teamRequest"
    /// The result of a sprint. `ResultMailPayload`.
    case result = "mail.result"
    /// A mail that an administrator sends to themselves, to see whether mails arrive. `UserMailPayload`.
    case test = "mail.test"
}

/// Parameters of a mail to a user. The address is not included: it is read when the mail is written.
package struct UserMailPayload: Codable, Hashable, Sendable {
    /// The recipient.
    package let userID: User.ID

    /// Names the recipient.
    package init(userID: User.ID) {
        self.userID = userID
    }
}

/// Parameters of the mail to an address that its user has given up.
package struct EmailChangedMailPayload: Codable, Hashable, Sendable {
    /// The user whose address changed.
    package let userID: User.ID
    /// The former address. The job must contain it, because the user's record no longer does; done jobs are removed
    /// after two days.
    package let oldEmail: String
    /// Whether an administrator or the operator changed it. Missing in a job for the user's own change, as in those of
    /// 0.1.0.
    package let byAdmin: Bool?
    /// The name of the OpenID provider whose address it now is; missing if the address comes from none.
    package let provider: String?

    /// The recipient is the user's former address.
    package init(userID: User.ID, oldEmail: String, byAdmin: Bool, provider: String? = nil) {
        self.userID = userID
        self.oldEmail = oldEmail
        self.byAdmin = byAdmin ? true : nil
        self.provider = provider
    }
}

/// Parameters of the mail about a new way to log in.
package struct IdentityLinkedMailPayload: Codable, Hashable, Sendable {
    /// The owner of the account.
    package let userID: User.ID
    /// The provider's name in the settings.
    package let provider: String

    /// Names the account and the provider.
    package init(userID: User.ID, provider: String) {
        self.userID = userID
        self.provider = provider
    }
}

/// Parameters of an invitation's mail.
package struct InvitationMailPayload: Codable, Hashable, Sendable {
    package let invitationID: Invitation.ID

    /// Names the invitation.
    package init(invitationID: Invitation.ID) {
        self.invitationID = invitationID
    }
}

/// Parameters of the mail that confirms a registration.
package struct RegistrationMailPayload: Codable, Hashable, Sendable {
    /// The registration to be confirmed.
    package let registrationID: Registration.ID

    /// Names the registration.
    package init(registrationID: Registration.ID) {
        self.registrationID = registrationID
    }
}

/// Parameters of the mail about a person who has no team.
package struct TeamRequestMailPayload: Codable, Hashable, Sendable {
    /// Who asks.
    package let userID: User.ID
    /// The administrator who gets the mail.
    package let adminID: User.ID

    /// Names the person and the recipient.
    package init(userID: User.ID, adminID: User.ID) {
        self.userID = userID
        self.adminID = adminID
    }
}

/// A sprint in the parameters of a job.
package struct SprintPayload: Codable, Hashable, Sendable {
    package let teamID: Team.ID
    /// The sprint's first instant, in seconds since 1970.
    package let start: Int

    /// Names a sprint.
    package init(_ key: Sprint.Key) {
        teamID = key.teamID
        start = Int(key.start.timeIntervalSince1970)
    }

    /// The sprint.
    package var key: Sprint.Key {
        Sprint.Key(teamID: teamID, start: Date(timeIntervalSince1970: TimeInterval(start)))
    }
}

/// Parameters of the mail with a sprint's result.
package struct ResultMailPayload: Codable, Hashable, Sendable {
    /// The recipient.
    package let userID: User.ID
    package let sprint: SprintPayload

    /// Names the recipient and the sprint.
    package init(userID: User.ID, sprint: SprintPayload) {
        self.userID = userID
        self.sprint = sprint
    }
}
