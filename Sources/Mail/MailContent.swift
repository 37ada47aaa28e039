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
    /// `IdentityLinkedMail`.
    case identityLinked = "identity-linked"
    /// `ReminderMail`.
    case reminder
    /// `TeamMessageMail`.
    case teamMessage = "team-message"
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
        self.userName = userName.unlinked
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
        self.userName = userName.unlinked
        self.link = link
    }
}

/// To somebody who is invited, with an account or without.
public struct InvitationMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.invitation
    /// Who invites.
    public let inviterName: String
    /// Whether the address has an account, so that there is nothing to choose but to join.
    public let hasAccount: Bool
    /// Where the button leads.
    public let link: String?
    /// How long the link works.
    public let linkLifetime: Duration?

    /// - Parameters:
    ///   - inviterName: others chose it; it becomes no link.
    ///   - link: the page where name and password are chosen, or where the account joins a team.
    public init(inviterName: String, hasAccount: Bool, link: String, lifetime: Duration) {
        self.inviterName = inviterName.unlinked
        self.hasAccount = hasAccount
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
        self.userName = userName.unlinked
    }
}

/// To somebody who has not voted yet and whom no message on a device reaches.
public struct ReminderMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.reminder
    /// Who is greeted.
    public let userName: String
    /// The reminder's title, perhaps in the team's own words.
    public let title: String
    /// The reminder's body, perhaps in the team's own words.
    public let body: String
    /// Where the button leads.
    public let link: String?
    /// The link does not end.
    public var linkLifetime: Duration? { nil }

    /// - Parameters:
    ///   - title: it becomes no link, nor does `body`: whom a link of a lead's brings to a site of theirs has not voted.
    ///   - link: the page where one votes. It carries no secret.
    public init(userName: String, title: String, body: String, link: String) {
        self.userName = userName.unlinked
        self.title = title.unlinked
        self.body = body.unlinked
        self.link = link
    }
}

/// What a lead or an admin wrote to a team, to a member whom no message on a device reaches.
public struct TeamMessageMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.teamMessage
    /// Who is greeted.
    public let userName: String
    /// To whom it was written.
    public let teamName: String
    /// The message's title.
    public let title: String
    /// The message's body; its line breaks are kept.
    public let body: String
    /// Where the button leads.
    public let link: String?
    /// The link does not end.
    public var linkLifetime: Duration? { nil }

    /// - Parameters:
    ///   - body: what addresses it holds become links, as whoever wrote it means.
    ///   - link: the service's start. It carries no secret.
    public init(userName: String, teamName: String, title: String, body: String, link: String) {
        self.userName = userName.unlinked
        self.teamName = teamName.unlinked
        self.title = title
        self.body = body
        self.link = link
    }
}

/// To somebody whose account can be logged in to through an OpenID provider from now on, in case it was not them.
public struct IdentityLinkedMail: MailContent {
    /// Its templates.
    public static let kind = MailKind.identityLinked
    /// Who is greeted.
    public let userName: String
    /// Through whom.
    public let provider: String
    /// There is nothing to click: a new password would not end this.
    public var link: String? { nil }
    /// There is no link.
    public var linkLifetime: Duration? { nil }

    /// For the account of that name.
    public init(userName: String, provider: String) {
        self.userName = userName.unlinked
        self.provider = provider
    }
}
