import Foundation

/// A person with an account.
public struct User: Hashable, Sendable {
    /// A user's identity.
    public typealias ID = Identifier<User>

    /// What a user may do in the whole installation.
    public enum Role: String, Sendable, Codable, CaseIterable {
        /// Manages people, teams and jobs; reads no team's results unless in it.
        case admin
        /// Votes and reads in their teams.
        case member
        /// Votes and reads in teams they were added to, and sees nobody else.
        case guest
    }

    /// The user's identity.
    public let id: ID
    /// Shown to others, unique when case-folded, never with an `@`.
    public var name: String
    /// Mandatory, unique when case-folded.
    public var email: String
    /// A new address that is not confirmed yet; others may have it, or ask for it, until it is.
    public var pendingEmail: String?
    /// What the user may do in the whole installation.
    public var role: Role
    /// `crypt(5)` text of the password; `nil` while none was set, which refuses every log-in.
    public var passwordHash: String?
    /// A disabled user cannot log in and has no sessions.
    public var isDisabled: Bool
    /// The team the classic API means; one of the user's own.
    public var defaultTeamID: Team.ID?
    /// BCP 47 tag of mails and pages: `AccountLanguage`.
    public var locale: String
    /// What the user wants to be told of.
    public var notifications: NotificationSettings
    /// What the user looks like; `nil` for who uploaded nothing.
    public var picture: ProfilePicture?
    /// The day the account was made, in UTC; for one older than this field, the day of the upgrade.
    public let createdOn: CalendarDay

    /// Takes the values as they are; `UserName` and `EmailAddress` have validated them.
    /// - Parameter createdOn: `nil` means today by the machine's clock.
    public init(
        id: ID = .random(), name: UserName, email: EmailAddress, pendingEmail: EmailAddress? = nil,
        role: Role = .member, passwordHash: String? = nil, isDisabled: Bool = false, defaultTeamID: Team.ID? = nil,
        locale: String = AccountLanguage.unknown.tag, notifications: NotificationSettings = NotificationSettings(),
        picture: ProfilePicture? = nil, createdOn: CalendarDay? = nil
    ) {
        self.id = id
        self.name = name.text
        self.email = email.text
        self.pendingEmail = pendingEmail?.text
        self.role = role
        self.passwordHash = passwordHash
        self.isDisabled = isDisabled
        self.defaultTeamID = defaultTeamID
        self.locale = locale
        self.notifications = notifications
        self.picture = picture
        self.createdOn = createdOn ?? CalendarDay(instant: WallClock.system.now, in: .gmt)
    }

    /// For a store: rebuilds a user from what was stored, without validating it again.
    public init(
        stored id: ID, name: String, email: String, pendingEmail: String?, role: Role, passwordHash: String?,
        isDisabled: Bool, defaultTeamID: Team.ID?, locale: String, notifications: NotificationSettings,
        picture: ProfilePicture?, createdOn: CalendarDay
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.pendingEmail = pendingEmail
        self.role = role
        self.passwordHash = passwordHash
        self.isDisabled = isDisabled
        self.defaultTeamID = defaultTeamID
        self.locale = locale
        self.notifications = notifications
        self.picture = picture
        self.createdOn = createdOn
    }
}

extension User {
    /// Whether the user may do what admins do: a disabled one may nothing.
    var isActiveAdmin: Bool { role == .admin && !isDisabled }
}
