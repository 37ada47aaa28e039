import Shared

/// The mails there are; the raw value names their templates, `templates/mail/LANGUAGE/NAME.mustache` and
/// `NAME.text.mustache`.
public enum MailKind: String, Sendable, CaseIterable {
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
}

/// What one mail says beside its fixed words. A template reads the fields as `mail.NAME`.
public protocol MailContent: Sendable {
    /// Which mail.
    static var kind: MailKind { get }
    /// Where its one button leads; `nil` for a mail without one.
    var link: String? { get }
    /// How long `link` works; templates read it in words as `validity`.
    var linkLifetime: Duration? { get }
}

/// To somebody who forgot their password.
public struct PasswordResetMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.passwordReset
    /// Who is greeted.
    public let userName: String
    /// Where the button leads.
    public let link: String?
    /// How long the link works.
    public let linkLifetime: Duration?

    /// - Parameter link: the page with the form for a new password.
    public init(userName: String, link: String, lifetime: Duration) {
        self.userName = userName
        self.link = link
        linkLifetime = lifetime
    }
}

/// To somebody whose password was changed, in case it was not them.
public struct PasswordChangedMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.passwordChanged
    /// Who is greeted.
    public let userName: String
    /// Where the button leads.
    public let link: String?
    /// The link does not end.
    public var linkLifetime: Duration? { nil }

    /// - Parameter link: the page where a reset is asked for. It carries no secret.
    public init(userName: String, link: String) {
        self.userName = userName
        self.link = link
    }
}

/// To somebody who has no account yet.
public struct InvitationMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.invitation
    /// Who invites.
    public let inviterName: String
    /// Where the button leads.
    public let link: String?
    /// How long the link works.
    public let linkLifetime: Duration?

    /// - Parameter link: the page where name and password are chosen.
    public init(inviterName: String, link: String, lifetime: Duration) {
        self.inviterName = inviterName
        self.link = link
        linkLifetime = lifetime
    }
}

/// To an address with which somebody asked for an account, perhaps its owner.
///
/// It greets nobody by name: the name was typed by whoever typed the address, and this would be a way to send words of
/// one's choice to strangers.
public struct ConfirmRegistrationMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.confirmRegistration
    /// Where the button leads.
    public let link: String?
    /// How long the link works.
    public let linkLifetime: Duration?

    /// - Parameter link: the page that asks for the password and makes the account.
    public init(link: String, lifetime: Duration) {
        self.link = link
        linkLifetime = lifetime
    }
}

/// To an address that the owner of an account says is theirs. It greets nobody by name, for it may be a stranger's.
public struct VerifyEmailMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.verifyEmail
    /// Where the button leads.
    public let link: String?
    /// How long the link works.
    public let linkLifetime: Duration?

    /// - Parameter link: the page that confirms the address.
    public init(link: String, lifetime: Duration) {
        self.link = link
        linkLifetime = lifetime
    }
}

/// To the address an account had before. It does not say the new one: the old mailbox may be somebody else's by now.
public struct EmailChangedMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.emailChanged
    /// Who is greeted.
    public let userName: String
    /// There is nothing to click.
    public var link: String? { nil }
    /// There is no link.
    public var linkLifetime: Duration? { nil }

    /// For the account of that name.
    public init(userName: String) {
        self.userName = userName
    }
}
