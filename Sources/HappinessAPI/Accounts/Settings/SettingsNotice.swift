import Services

/// The forms of the settings.
typealias SettingsForms = PageForms<SettingsNotice>

/// Success messages of the settings' pages.
enum SettingsNotice: String, FormNotice {
    case name
    case picture
    case pictureRemoved = "picture-removed"
    case password
    case email
    case sessionEnded = "session-ended"
    case sessionsEnded = "sessions-ended"
    case notifications
    case absence
    case absenceRemoved = "absence-removed"
    case calendarEnded = "calendar-ended"
    case language
    case theme
    case team

    func page(for visit: PageVisit) -> SitePath {
        switch self {
        case .name, .picture, .pictureRemoved, .password, .language, .theme, .team: .settings
        case .email: .emailSettings
        case .sessionEnded, .sessionsEnded: .sessionSettings
        case .notifications, .absence, .absenceRemoved, .calendarEnded: .notificationSettings
        }
    }

    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .name: words.text("name.done")
        case .picture: words.text("picture.done")
        case .pictureRemoved: words.text("picture.removed")
        case .password: words.text("password.done")
        case .email: words.text("email.done")
        case .sessionEnded: words.text("sessions.ended")
        case .sessionsEnded: words.text("sessions.othersEnded")
        case .notifications: words.text("notifications.done")
        case .absence: words.text("absences.done")
        case .absenceRemoved: words.text("absences.removed")
        case .calendarEnded: words.text("calendarFeed.ended")
        case .language: words.text("settings.languageDone")
        case .theme: words.text("settings.themeDone")
        case .team: words.text("settings.teamDone")
        }
    }
}
