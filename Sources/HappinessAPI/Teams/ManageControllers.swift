import Hummingbird
import Shared

/// The pages on which a team is managed, each with its forms.
struct ManageControllers: Sendable {
    let overview: TeamOverviewPages
    let settings: TeamSettingsPages
    let reminders: TeamReminderPages
    let experiments: TeamExperimentPages
    let members: TeamMemberPages
    let messages: TeamMessagePages

    /// - Parameter member: lets pass a browser that is logged in.
    func addRoutes(to member: RouterGroup<AppRequestContext>) {
        let manage = member.group("/teams/{team}/manage")
        manage.get("/", use: overview.show)
        manage.get("/settings", use: settings.show)
        manage.post("/settings", use: settings.change)
        manage.get("/reminders", use: reminders.show)
        manage.post("/reminders", use: reminders.change)
        manage.post("/reminders/preview", use: reminders.preview)
        manage.post("/reminders/test", use: reminders.test)
        manage.post("/reminders/days", use: reminders.addDays)
        manage.post("/reminders/days/remove", use: reminders.removeDay)
        manage.get("/experiments", use: experiments.list)
        manage.post("/experiments", use: experiments.add)
        manage.get("/experiments/{experiment}", use: experiments.show)
        manage.post("/experiments/{experiment}/end", use: experiments.end)
        manage.get("/members", use: members.show)
        manage.post("/members/role", use: members.changeRole)
        manage.post("/members/remove", use: members.remove)
        manage.post("/members/invite", use: members.invite)
        manage.post("/members/resend", use: members.resend)
        manage.post("/members/withdraw", use: members.withdraw)
        manage.post("/members/share", use: members.share)
        manage.post("/members/unshare", use: members.unshare)
        manage.get("/messages", use: messages.show)
        manage.post("/messages", use: messages.send)
    }
}
