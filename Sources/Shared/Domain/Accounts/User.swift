import Foundation

/// A person with an account.
package struct User: Hashable, Sendable {
    /// Identifies a user.
    package typealias ID = Identifier<User>

    /// The permissions of a user in the whole installation.
    package enum Role: String, Sendable, Codable, CaseIterable {
        /// Manages users, teams and jobs; can read only the results of teams they are in.
        case admin
        /// Votes and reads in their teams.
        case member
        /// Votes and reads in teams they were added to, and cannot see other people.
        case guest
    }

    /// Stays the same when name and address change.
    package let id: ID
    /// For the login; unique when case-folded, never with an `@`. Others see it unless there is a display name.
    package var name: String
    /// The name that others see instead of `name`; `nil` if the user has not chosen one.
    package var displayName: String?
    /// Mandatory, unique when case-folded.
    package var email: String
    /// A new address that is not confirmed yet; until it is, others may have it, or request it.
    package var pendingEmail: String?
    /// The permissions in the whole installation.
    package var role: Role
    /// `crypt(5)` text of the password; `nil` if none is set, which rejects every login by password.
    package var passwordHash: String?
    /// Whether somebody else set the password and may know it: an administrator or the operator. The user is then
    /// asked for their own.
    package var passwordIsHandedOut: Bool
    /// A disabled user cannot log in and has no sessions.
    package var isDisabled: Bool
    /// The team used by the classic API; one of the user's own.
    package var defaultTeamID: Team.ID?
    /// BCP 47 tag of mails and pages: `AccountLanguage`.
    package var locale: String
    /// The notifications the user wants to receive.
    package var notifications: NotificationSettings
    /// The profile picture; `nil` if the user has not uploaded one.
    package var picture: ProfilePicture?
    /// The UTC day on which the account was created; for accounts older than this field, the day of the upgrade.
    package let createdOn: CalendarDay
    /// Why only mails that the user asks for go to `email`; `nil` if nothing is known against it.
    package var addressFault: AddressFault?
    /// The latest UTC day on which an administrator or the operator set the address; `nil` if neither ever did. Nothing
    /// clears it, so that nobody who took over an account can hide how.
    package var emailSetOn: CalendarDay?

    /// Takes the values unchecked; `UserName` and `EmailAddress` have validated them.
    package init(
        id: ID = .random(), name: UserName, displayName: DisplayName? = nil, email: EmailAddress,
        pendingEmail: EmailAddress? = nil, role: Role = .member, passwordHash: String? = nil, isDisabled: Bool = false,
        defaultTeamID: Team.ID? = nil, locale: String = AccountLanguage.unknown.tag,
        notifications: NotificationSettings = NotificationSettings(), picture: ProfilePicture? = nil,
        createdOn: CalendarDay, addressFault: AddressFault? = nil, passwordIsHandedOut: Bool = false
    ) {
        self.init(
            stored: id, name: name.text, displayName: displayName?.text, email: email.text,
            pendingEmail: pendingEmail?.text, role: role, passwordHash: passwordHash, isDisabled: isDisabled,
            defaultTeamID: defaultTeamID, locale: locale, notifications: notifications, picture: picture,
            createdOn: createdOn, addressFault: addressFault, passwordIsHandedOut: passwordIsHandedOut)
    }

    /// For a store: restores a user from stored values, without validation.
    package init(
        stored id: ID, name: String, displayName: String?, email: String, pendingEmail: String?, role: Role,
        passwordHash: String?, isDisabled: Bool, defaultTeamID: Team.ID?, locale: String,
        notifications: NotificationSettings, picture: ProfilePicture?, createdOn: CalendarDay,
        addressFault: AddressFault?, emailSetOn: CalendarDay? = nil, passwordIsHandedOut: Bool = false
    ) {
        self.id = id
        self.name = name
        self.displayName = displayName
        self.email = email
        self.pendingEmail = pendingEmail
        self.role = role
        self.passwordHash = passwordHash
        self.passwordIsHandedOut = passwordIsHandedOut
        self.isDisabled = isDisabled
        self.defaultTeamID = defaultTeamID
        self.locale = locale
        self.notifications = notifications
        self.picture = picture
        self.createdOn = createdOn
        self.addressFault = addressFault
        self.emailSetOn = emailSetOn
    }
}

extension User {
    /// The name that others see.
    package var shownName: String { displayName ?? name }

    /// The user name, if others see a display name instead. Display names are not unique, so pages on which rights are
    /// given or taken show it too.
    package var hiddenName: String? { displayName == nil ? nil : name }

    /// What `NameSearch` finds the user by: names and address.
    package var searchText: String { Self.searchText(name: name, displayName: displayName, email: email) }

    /// The same from stored values.
    package static func searchText(name: String, displayName: String?, email: String) -> String {
        NameSearch.text(of: [name, displayName ?? "", email, EmailAddress.readable(email)])
    }

    /// All names by which others know the user.
    package var names: [String] { [displayName, name].compactMap(\.self) }

    /// Whether mails of a delivery go to the user.
    package var takesMails: Bool { notifications.mail && addressFault == nil }

    /// Whether results are mailed to the user.
    package var takesResultMails: Bool { notifications.results && addressFault == nil }

    /// Whether the user has an admin's permissions: disabled users have none.
    package var isActiveAdmin: Bool { role == .admin && !isDisabled }
}
