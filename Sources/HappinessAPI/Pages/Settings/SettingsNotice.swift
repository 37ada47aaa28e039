/// The forms of the settings.
typealias SettingsForms = PageForms<SettingsNotice>

/// Success messages of the settings' pages.
enum SettingsNotice: String, FormNotice {
    case name = "name.done"
    case picture = "picture.done"
    case pictureRemoved = "picture.removed"
    case password = "password.done"
    case email = "email.done"
    case sessionEnded = "sessions.ended"
    case sessionsEnded = "sessions.othersEnded"
    case notifications = "notifications.done"
    case absence = "absences.done"
    case absenceRemoved = "absences.removed"
    case calendarEnded = "calendarFeed.ended"
    case language = "settings.languageDone"
    case theme = "settings.themeDone"
    case team = "settings.teamDone"

    func page(for visit: PageVisit) -> SitePath {
        switch self {
        case .name, .picture, .pictureRemoved, .password, .language, .theme, .team: .settings
        case .email: .emailSettings
        case .sessionEnded, .sessionsEnded: .sessionSettings
        case .notifications, .absence, .absenceRemoved, .calendarEnded: .notificationSettings
        }
    }
}
