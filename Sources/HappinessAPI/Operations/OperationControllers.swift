import Hummingbird
import Shared

/// What went wrong in apps and how the installation is: pages for administrators, and the same for programs.
struct OperationControllers: Sendable {
    let errorPages: ClientErrorPages
    let statusPages: StatusPages
    let errors: ClientErrorController
    let status: StatusController

    init(pages: PageRenderer, viewers: Viewers, errors: ClientErrorService, statuses: StatusService) {
        let forms = PageForms<ClientErrorNotice>(pages: pages, viewers: viewers, audience: .admin)
        errorPages = ClientErrorPages(forms: forms, errors: errors)
        statusPages = StatusPages(forms: forms, statuses: statuses)
        self.errors = ClientErrorController(errors: errors)
        status = StatusController(statuses: statuses)
    }

    /// - Parameter member: lets pass a browser that is logged in.
    func addRoutes(to member: RouterGroup<AppRequestContext>) {
        member.get("/admin/errors", use: errorPages.list)
        member.get("/admin/errors/{error}", use: errorPages.show)
        member.post("/admin/errors/{error}", use: errorPages.change)
        member.post("/admin/errors/{error}/delete", use: errorPages.delete)
        member.get("/admin/status", use: statusPages.show)
    }

    /// - Parameters:
    ///   - v1: the API's routes for who is logged in.
    ///   - voter: those whose use leaves no trace in the session: an error may be that of a page somebody votes on.
    func addAPIRoutes(to v1: RouterGroup<AppRequestContext>, voter: RouterGroup<AppRequestContext>) {
        voter.post("/client-errors", use: errors.report)
        v1.get("/admin/client-errors", use: errors.list)
        v1.patch("/admin/client-errors/{error}", use: errors.change)
        v1.delete("/admin/client-errors/{error}", use: errors.delete)
        v1.get("/admin/status", use: status.show)
    }
}
