import Hummingbird
import Services

/// Invitations: sending them, one by one or from a list, and accepting one.
struct InvitationsFeature: Feature {
    private let acceptancePages: InvitationPageController
    private let adminPages: AdminInvitationPageController
    private let importPages: AdminImportPageController
    private let invitations: InvitationController

    init(
        pages: PageServices, invitations: InvitationService, teams: TeamService, browserLogins: BrowserLogins,
        answers: AnswerLanguage
    ) {
        let forms: AdminForms = pages.forms(for: .admin)
        acceptancePages = InvitationPageController(
            invitations: invitations, pages: pages.renderer,
            newcomers: AccountCreatedPage(pages: pages.renderer, browserLogins: browserLogins))
        adminPages = AdminInvitationPageController(forms: forms, invitations: invitations, teams: teams)
        importPages = AdminImportPageController(forms: forms, invitations: invitations)
        self.invitations = InvitationController(invitations: invitations, answers: answers)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/invitation", use: acceptancePages.form)
        routes.open.post("/invitation", use: acceptancePages.accept)
        let pages = routes.pages
        pages.get("/admin/invitations", use: adminPages.show)
        pages.post("/admin/invitations/resend", use: adminPages.resend)
        pages.post("/admin/invitations/withdraw", use: adminPages.withdraw)
        pages.get("/admin/invitations/new", use: adminPages.ask)
        pages.post("/admin/invitations/new", use: adminPages.invite)
        pages.get("/admin/invitations/import", use: importPages.ask)
        pages.post("/admin/invitations/import", use: importPages.send)

        routes.openAPI.post("/invitations/accept", use: invitations.accept)
        let api = routes.api
        api.get("/invitations", use: invitations.list)
        routes.inviterAPI.post("/invitations", use: invitations.invite)
        routes.inviterAPI.post("/invitations/import", use: invitations.importList)
        api.post("/invitations/{invitation}/resend", use: invitations.resend)
        api.delete("/invitations/{invitation}", use: invitations.withdraw)
    }
}
