/// What a page of the settings says after a form was carried out. It is in the address, `?done=`, for the page that
/// follows a form is asked for with a GET.
enum SettingsNotice: String, Sendable {
    case picture
    case pictureRemoved = "picture-removed"
    case password
    case email
    case sessionEnded = "session-ended"
    case sessionsEnded = "sessions-ended"
    case notifications
    case absence
    case absenceRemoved = "absence-removed"
    case language
    case theme
    case team

    /// The page that says it.
    var page: String {
        switch self {
        case .picture, .pictureRemoved, .password, .language, .theme, .team: SettingsPages.path
        case .email: EmailSettingsPages.path
        case .sessionEnded, .sessionsEnded: SessionSettingsPages.path
        case .notifications, .absence, .absenceRemoved: NotificationSettingsPages.path
        }
    }

    /// In the page's language.
    func text(_ words: PageWords) -> String {
        switch self {
        case .picture: words.text("picture.done")
        case .pictureRemoved: words.text("picture.removed")
        case .password: words.text("password.done")
        case .email: words.text("email.done")
        case .sessionEnded: words.text("sessions.ended")
        case .sessionsEnded: words.text("sessions.othersEnded")
        case .notifications: words.text("notifications.done")
        case .absence: words.text("absences.done")
        case .absenceRemoved: words.text("absences.removed")
        case .language: words.text("settings.languageDone")
        case .theme: words.text("settings.themeDone")
        case .team: words.text("settings.teamDone")
        }
    }
}
