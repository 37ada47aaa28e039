import Services

/// The kinds of mail. The raw value names their templates, `templates/mail/LANGUAGE/NAME.mustache` and
/// `NAME.text.mustache`.
package enum MailKind: String, Sendable, CaseIterable {
    /// `PasswordResetMail`.
    case passwordReset = "password-reset"
    /// `PasswordChangedMail`.
    case passwordChanged = "password-changed"
    /// `InvitationMail`.
    case invitation
    /// `ConfirmRegistrationMail`.
    case confirmRegistration = "confirm-registration"
    /// `VerifyEmailMail`.
    case verifyEmail = "verify-email"
    /// `EmailChangedMail`.
    case emailChanged = "email-changed"
    /// `IdentityLinkedMail`.
    case identityLinked = "identity-linked"
    /// `ReminderMail`.
    case reminder
    /// `TeamMessageMail`.
    case teamMessage = "team-message"
}

/// The variable parts of a mail. A template reads the fields as `mail.NAME`.
package protocol MailContent: Sendable {
    /// Selects the templates.
    static var kind: MailKind { get }
    /// The destination of the mail's button; `nil` for a mail without one.
    var link: String? { get }
    /// How long `link` is valid; `nil` for a link without end. Templates read it in words as `validity`.
    var linkLifetime: Duration? { get }
}

/// Sent to a user who forgot their password.
package struct PasswordResetMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.passwordReset
    /// The name in the greeting.
    package let userName: String
    /// The destination of the button.
    package let link: String?
    /// How long the link is valid.
    package let linkLifetime: Duration?

    /// - Parameter link: the page with the form for a new password.
    package init(userName: String, link: String, lifetime: Duration) {
        self.userName = userName.unlinked
        self.link = link
        linkLifetime = lifetime
    }
}

/// Tells a user that their password was changed, in case they did not do it.
package struct PasswordChangedMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.passwordChanged
    /// The name in the greeting.
    package let userName: String
    /// The destination of the button.
    package let link: String?
    /// The link does not expire.
    package var linkLifetime: Duration? { nil }

    /// - Parameter link: the page on which a reset is requested. It contains no secret.
    package init(userName: String, link: String) {
        self.userName = userName.unlinked
        self.link = link
    }
}

/// Sent to an invited person, with or without an account.
package struct InvitationMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.invitation
    /// The name of the inviting user.
    package let inviterName: String
    /// Whether the address has an account, so that the recipient only needs to join.
    package let hasAccount: Bool
    /// The destination of the button.
    package let link: String?
    /// How long the link is valid.
    package let linkLifetime: Duration?

    /// - Parameters:
    ///   - inviterName: never becomes a link, since another user chose it.
    ///   - link: the page that asks for name and password, or adds the account to a team.
    package init(inviterName: String, hasAccount: Bool, link: String, lifetime: Duration) {
        self.inviterName = inviterName.unlinked
        self.hasAccount = hasAccount
        self.link = link
        linkLifetime = lifetime
    }
}

/// Sent to an address for which an account was requested, perhaps not by its owner.
///
/// It contains no name: the name was typed by the person who typed the address, so it could be used to send arbitrary
/// text to strangers.
package struct ConfirmRegistrationMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.confirmRegistration
    /// The destination of the button.
    package let link: String?
    /// How long the link is valid.
    package let linkLifetime: Duration?

    /// - Parameter link: the page that asks for the password and creates the account.
    package init(link: String, lifetime: Duration) {
        self.link = link
        linkLifetime = lifetime
    }
}

/// Sent to an address that a user claims as theirs. It contains no name, since the address may be a stranger's.
package struct VerifyEmailMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.verifyEmail
    /// The destination of the button.
    package let link: String?
    /// How long the link is valid.
    package let linkLifetime: Duration?

    /// - Parameter link: the page that confirms the address.
    package init(link: String, lifetime: Duration) {
        self.link = link
        linkLifetime = lifetime
    }
}

/// Sent to an account's previous address. It does not contain the new one: the old mailbox may belong to another person
/// by now.
package struct EmailChangedMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.emailChanged
    /// The name in the greeting.
    package let userName: String
    /// `nil`: the mail has no button.
    package var link: String? { nil }
    /// `nil`: the mail has no link.
    package var linkLifetime: Duration? { nil }

    /// - Parameter userName: the account's name.
    package init(userName: String) {
        self.userName = userName.unlinked
    }
}

/// Sent to a member who has not voted yet and cannot get a push message.
package struct ReminderMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.reminder
    /// The name in the greeting.
    package let userName: String
    /// The reminder's title; the team may have its own text.
    package let title: String
    /// The reminder's body; the team may have its own text.
    package let body: String
    /// The destination of the button.
    package let link: String?
    /// The link does not expire.
    package var linkLifetime: Duration? { nil }

    /// - Parameters:
    ///   - title: never becomes a link, nor does `body`: a lead who sees visits to a link of theirs would learn who has
    ///     not voted.
    ///   - link: the page with the ballot's form. It contains no secret.
    package init(userName: String, title: String, body: String, link: String) {
        self.userName = userName.unlinked
        self.title = title.unlinked
        self.body = body.unlinked
        self.link = link
    }
}

/// A message from a lead or administrator to a team, for a member who cannot get a push message.
package struct TeamMessageMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.teamMessage
    /// The name in the greeting.
    package let userName: String
    /// The team that the message is for.
    package let teamName: String
    /// The message's title.
    package let title: String
    /// The message's body with its line breaks.
    package let body: String
    /// The destination of the button.
    package let link: String?
    /// The link does not expire.
    package var linkLifetime: Duration? { nil }

    /// - Parameters:
    ///   - body: addresses in it become links, as its author intends.
    ///   - link: the service's start page. It contains no secret.
    package init(userName: String, teamName: String, title: String, body: String, link: String) {
        self.userName = userName.unlinked
        self.teamName = teamName.unlinked
        self.title = title
        self.body = body
        self.link = link
    }
}

/// Tells a user that their account now accepts log-ins through an OpenID provider, in case they did not do it.
package struct IdentityLinkedMail: MailContent {
    /// Selects the templates.
    package static let kind = MailKind.identityLinked
    /// The name in the greeting.
    package let userName: String
    /// The provider's name.
    package let provider: String
    /// `nil`: a new password would not undo this.
    package var link: String? { nil }
    /// `nil`: the mail has no link.
    package var linkLifetime: Duration? { nil }

    /// - Parameter userName: the account's name.
    package init(userName: String, provider: String) {
        self.userName = userName.unlinked
        self.provider = provider
    }
}
