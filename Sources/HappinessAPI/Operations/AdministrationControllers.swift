import Hummingbird
import Shared

/// What administrators have, as pages and for programs.
struct AdministrationControllers: Sendable {
    let peoplePages: AdminPeoplePages
    let personPages: AdminPersonPages
    let invitationPages: AdminInvitationPages
    let importPages: AdminImportPages
    let teamPages: AdminTeamPages
    let deliveryPages: AdminDeliveryPages
    let jobPages: AdminJobPages
    let people: PeopleController
    let teams: AdministeredTeamController

    init(
        forms: AdminForms, people: PeopleService, invitations: InvitationService, teams: TeamService,
        deliveries: DeliveryService, jobs: JobService
    ) {
        peoplePages = AdminPeoplePages(forms: forms, people: people)
        personPages = AdminPersonPages(forms: forms, people: people)
        invitationPages = AdminInvitationPages(forms: forms, invitations: invitations, teams: teams)
        importPages = AdminImportPages(forms: forms, invitations: invitations)
        teamPages = AdminTeamPages(forms: forms, teams: teams)
        deliveryPages = AdminDeliveryPages(forms: forms, deliveries: deliveries, teams: teams)
        jobPages = AdminJobPages(forms: forms, jobs: jobs)
        self.people = PeopleController(people: people)
        self.teams = AdministeredTeamController(teams: teams)
    }

    /// - Parameter member: lets pass a browser that is logged in.
    func addRoutes(to member: RouterGroup<AppRequestContext>) {
        member.get("/admin/people", use: peoplePages.show)
        member.get("/admin/people/{user}", use: personPages.show)
        member.post("/admin/people/{user}/role", use: personPages.changeRole)
        member.post("/admin/people/{user}/disabled", use: personPages.changeDisabled)
        member.post("/admin/people/{user}/end-sessions", use: personPages.endSessions)
        member.post("/admin/people/{user}/password-reset", use: personPages.resetPassword)
        member.get("/admin/people/{user}/delete", use: personPages.askToDelete)
        member.post("/admin/people/{user}/delete", use: personPages.delete)
        member.get("/admin/invitations", use: invitationPages.show)
        member.post("/admin/invitations/resend", use: invitationPages.resend)
        member.post("/admin/invitations/withdraw", use: invitationPages.withdraw)
        member.get("/admin/invitations/new", use: invitationPages.ask)
        member.post("/admin/invitations/new", use: invitationPages.invite)
        member.get("/admin/invitations/import", use: importPages.ask)
        member.post("/admin/invitations/import", use: importPages.send)
        member.get("/admin/teams", use: teamPages.show)
        member.get("/admin/teams/new", use: teamPages.ask)
        member.post("/admin/teams/new", use: teamPages.add)
        member.get("/admin/deliveries", use: deliveryPages.show)
        member.get("/admin/jobs", use: jobPages.show)
        member.post("/admin/jobs/restart", use: jobPages.restart)
        member.post("/admin/jobs/drop", use: jobPages.drop)
    }

    /// - Parameter v1: the API's routes for who is logged in.
    func addAPIRoutes(to v1: RouterGroup<AppRequestContext>) {
        v1.get("/admin/people", use: people.list)
        v1.get("/admin/people/{user}", use: people.show)
        v1.patch("/admin/people/{user}", use: people.change)
        v1.delete("/admin/people/{user}", use: people.delete)
        v1.post("/admin/people/{user}/end-sessions", use: people.endSessions)
        v1.post("/admin/people/{user}/password-reset", use: people.resetPassword)
        v1.get("/admin/teams", use: teams.list)
        v1.post("/admin/teams", use: teams.add)
    }
}
