import Hummingbird
import Shared

/// The pages of the settings, each with its forms.
struct SettingsControllers: Sendable {
    let overview: SettingsPages
    let picture: PictureSettingsPages
    let password: PasswordSettingsPages
    let email: EmailSettingsPages
    let sessions: SessionSettingsPages
    let notifications: NotificationSettingsPages
    let deletion: AccountDeletionPages

    /// - Parameter member: lets pass a browser that is logged in.
    func addRoutes(to member: RouterGroup<AppRequestContext>) {
        member.get("/settings", use: overview.show)
        member.post("/settings/language", use: overview.changeLanguage)
        member.post("/settings/theme", use: overview.changeTheme)
        member.post("/settings/team", use: overview.changeTeam)
        member.get("/settings/picture", use: picture.show)
        member.post("/settings/picture", use: picture.upload)
        member.post("/settings/picture/remove", use: picture.remove)
        member.get("/settings/password", use: password.show)
        member.post("/settings/password", use: password.change)
        member.get("/settings/email", use: email.show)
        member.post("/settings/email", use: email.change)
        member.get("/settings/sessions", use: sessions.show)
        member.post("/settings/sessions/end", use: sessions.end)
        member.post("/settings/sessions/end-others", use: sessions.endOthers)
        member.get("/settings/notifications", use: notifications.show)
        member.post("/settings/notifications", use: notifications.change)
        member.post("/settings/absences", use: notifications.addAbsence)
        member.post("/settings/absences/remove", use: notifications.removeAbsence)
        member.get("/settings/delete", use: deletion.ask)
        member.post("/settings/delete", use: deletion.delete)
    }
}
