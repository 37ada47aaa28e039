package import Domain
import Foundation

extension User {
    /// A user whose account was created today.
    package init(
        id: ID = .random(), name: UserName, email: EmailAddress, pendingEmail: EmailAddress? = nil,
        role: Role = .member, passwordHash: String? = nil, isDisabled: Bool = false, defaultTeamID: Team.ID? = nil,
        locale: String = AccountLanguage.unknown.tag, notifications: NotificationSettings = NotificationSettings(),
        picture: ProfilePicture? = nil
    ) {
        self.init(
            id: id, name: name, email: email, pendingEmail: pendingEmail, role: role, passwordHash: passwordHash,
            isDisabled: isDisabled, defaultTeamID: defaultTeamID, locale: locale, notifications: notifications,
            picture: picture, createdOn: CalendarDay(instant: Date(), in: .gmt))
    }
}
