import Hummingbird
import Services

/// Teams, their members and settings: the pages of leads and administrators, and the API.
struct TeamsFeature: Feature {
    private let overviewPages: TeamOverviewPageController
    private let settingsPages: TeamSettingsPageController
    private let memberPages: TeamMemberPageController
    private let adminPages: AdminTeamPageController
    private let deletionPages: AdminTeamDeletionPageController
    private let teams: TeamController
    private let members: TeamMemberController
    private let administeredTeams: AdministeredTeamController

    init(
        pages: PageServices, teams: TeamService, sprints: SprintService, invitations: InvitationService,
        reminders: ReminderService, histories: HistoryCache, marks: TeamMarksCache, pictures: PictureLinks,
        publicURL: String
    ) {
        let forms: ManageForms = pages.forms(for: .manager)
        let adminForms: AdminForms = pages.forms(for: .admin)
        overviewPages = TeamOverviewPageController(
            forms: forms, histories: histories, marks: marks, reminders: reminders)
        settingsPages = TeamSettingsPageController(forms: forms, teams: teams, sprints: sprints)
        memberPages = TeamMemberPageController(
            forms: forms, teams: teams, invitations: invitations, pictures: pictures, publicURL: publicURL)
        adminPages = AdminTeamPageController(forms: adminForms, teams: teams)
        deletionPages = AdminTeamDeletionPageController(forms: adminForms, teams: teams)
        self.teams = TeamController(teams: teams, publicURL: publicURL)
        members = TeamMemberController(teams: teams, links: pictures)
        administeredTeams = AdministeredTeamController(teams: teams)
    }

    func addRoutes(to routes: RouteGroups) {
        let manage = routes.pages.group("/teams/{team}/manage")
        manage.get("/", use: overviewPages.show)
        manage.get("/settings", use: settingsPages.show)
        manage.post("/settings", use: settingsPages.change)
        manage.get("/members", use: memberPages.show)
        manage.post("/members/role", use: memberPages.changeRole)
        manage.post("/members/remove", use: memberPages.remove)
        manage.post("/members/mail-again", use: memberPages.mailAgain)
        manage.post("/members/invite", use: memberPages.invite)
        manage.post("/members/resend", use: memberPages.resend)
        manage.post("/members/withdraw", use: memberPages.withdraw)
        manage.post("/members/share", use: memberPages.share)
        manage.post("/members/unshare", use: memberPages.unshare)
        routes.pages.get("/admin/teams", use: adminPages.show)
        routes.pages.get("/admin/teams/new", use: adminPages.ask)
        routes.pages.post("/admin/teams/new", use: adminPages.add)
        routes.pages.get("/admin/teams/{team}/delete", use: deletionPages.ask)
        routes.pages.post("/admin/teams/{team}/delete", use: deletionPages.delete)

        let api = routes.api
        api.get("/teams", use: teams.list)
        api.get("/teams/{team}", use: teams.show)
        routes.managerAPI.patch("/teams/{team}", use: teams.change)
        api.get("/teams/{team}/members", use: members.list)
        routes.managerAPI.patch("/teams/{team}/members/{user}", use: members.change)
        api.delete("/teams/{team}/members/{user}", use: members.remove)
        routes.managerAPI.delete("/teams/{team}/members/{user}/address-fault", use: members.liftAddressFault)
        api.put("/teams/{team}/share-link", use: teams.share)
        api.delete("/teams/{team}/share-link", use: teams.unshare)
        routes.administratorAPI.get("/admin/teams", use: administeredTeams.list)
        routes.administratorAPI.post("/admin/teams", use: administeredTeams.add)
        routes.administratorAPI.delete("/admin/teams/{team}", use: administeredTeams.delete)
    }
}
