package import Domain

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
    /// `TeamRequestMail`.
    case teamRequest = "team-request"
    /// `TestMail`.
    case test
    /// `ReminderMail`.
    case reminder
    /// `TeamMessageMail`.
    case teamMessage = "team-message"
    /// `ResultsMail`.
    case results
}

/// The variable parts of a mail. A template reads the fields as `mail.NAME`.
package protocol MailContent: Sendable {
    /// Selects the templates.
    static var kind: MailKind { get }
    /// The destination of the mail's button; `nil` for a mail without one.
    var link: String? { get }
    /// How long `link` is valid; `nil` for a link without end. Templates read it in words as `validity`.
    var linkLifetime: Duration? { get }
    /// The kind of mail that the recipient can turn off; `nil` for mails about the account, which are always sent.
    static var subscription: MailSubscription? { get }
}

extension MailContent {
    /// By default the mail is about the account.
    package static var subscription: MailSubscription? { nil }
    /// By default there is no button.
    package var link: String? { nil }
    /// By default the link does not expire.
    package var linkLifetime: Duration? { nil }
}

/// Sent to a user who forgot their password.
package struct PasswordResetMail: MailContent {
    package static let kind = MailKind.passwordReset
    /// The name in the greeting.
    package let userName: String
    package let link: String?
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
    package static let kind = MailKind.passwordChanged
    /// The name in the greeting.
    package let userName: String
    package let link: String?

    /// - Parameter link: the page on which a reset is requested. It contains no secret.
    package init(userName: String, link: String) {
        self.userName = userName.unlinked
        self.link = link
    }
}

/// Sent to an invited person, with or without an account.
package struct InvitationMail: MailContent {
    package static let kind = MailKind.invitation
    /// The name of the inviting user; `nil` for the operator or a deleted account.
    package let inviterName: String?
    /// The name of the team; `nil` for an invitation to the service alone.
    package let teamName: String?
    /// The same for the subject.
    package let inviterInSubject: String?
    /// The same for the subject.
    package let teamInSubject: String?
    /// Whether the address has an account, so that the recipient only needs to join.
    package let hasAccount: Bool
    package let link: String?
    package let linkLifetime: Duration?

    /// - Parameters:
    ///   - inviterName: never becomes a link, nor does `teamName`, since another user chose them.
    ///   - link: the page that asks for name and password, or adds the account to a team.
    package init(inviterName: String?, teamName: String?, hasAccount: Bool, link: String, lifetime: Duration) {
        self.inviterName = inviterName?.unlinked
        self.teamName = teamName?.unlinked
        inviterInSubject = inviterName?.inSubject
        teamInSubject = teamName?.inSubject
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
    package static let kind = MailKind.confirmRegistration
    package let link: String?
    package let linkLifetime: Duration?

    /// - Parameter link: the page that asks for the password and creates the account.
    package init(link: String, lifetime: Duration) {
        self.link = link
        linkLifetime = lifetime
    }
}

/// Sent to an address that a user claims as theirs. It contains no name, since the address may be a stranger's.
package struct VerifyEmailMail: MailContent {
    package static let kind = MailKind.verifyEmail
    package let link: String?
    package let linkLifetime: Duration?

    /// - Parameter link: the page that confirms the address.
    package init(link: String, lifetime: Duration) {
        self.link = link
        linkLifetime = lifetime
    }
}

/// Sent by an administrator to themselves, to see whether mails arrive.
package struct TestMail: MailContent {
    package static let kind = MailKind.test
    /// The name in the greeting.
    package let userName: String

    /// - Parameter userName: the account's name.
    package init(userName: String) {
        self.userName = userName.unlinked
    }
}

/// Sent to an account's previous address. It does not contain the new one: the old mailbox may now belong to another
/// person.
package struct EmailChangedMail: MailContent {
    package static let kind = MailKind.emailChanged
    /// The name in the greeting.
    package let userName: String
    /// Whether an administrator or the operator changed the address, and not the user.
    package let byAdmin: Bool
    /// The name of the OpenID provider whose address it now is; `nil` for none.
    package let provider: String?

    /// - Parameter userName: the account's name.
    package init(userName: String, byAdmin: Bool, provider: String? = nil) {
        self.userName = userName.unlinked
        self.byAdmin = byAdmin
        self.provider = provider
    }
}

/// Tells a user that their account now accepts logins through an OpenID provider, in case they did not do it.
package struct IdentityLinkedMail: MailContent {
    package static let kind = MailKind.identityLinked
    /// The name in the greeting.
    package let userName: String
    /// The provider's name.
    package let provider: String
    // No button: a new password would not undo this.

    /// - Parameter userName: the account's name.
    package init(userName: String, provider: String) {
        self.userName = userName.unlinked
        self.provider = provider
    }
}

/// Tells an administrator that someone has an account and no team.
package struct TeamRequestMail: MailContent {
    package static let kind = MailKind.teamRequest
    /// The administrator's name, in the greeting.
    package let userName: String
    /// The name of the person who asks.
    package let personName: String
    /// The same for the subject.
    package let personInSubject: String?
    /// The address of that person's account.
    package let personEmail: String
    package let link: String?

    /// - Parameters:
    ///   - personName: never becomes a link, nor does `personEmail`, since that person chose them.
    ///   - link: the administrators' page about the person.
    package init(userName: String, personName: String, personEmail: String, link: String) {
        self.userName = userName.unlinked
        self.personName = personName.unlinked
        personInSubject = personName.inSubject
        self.personEmail = personEmail.unlinked
        self.link = link
    }
}
