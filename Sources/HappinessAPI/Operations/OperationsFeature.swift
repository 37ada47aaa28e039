import Hummingbird
import Services

/// The state of the installation: health, status, jobs, errors of apps, and its own texts.
struct OperationsFeature: Feature {
    private let startPages: AdminStartPageController
    private let statusPages: StatusPageController
    private let jobPages: AdminJobPageController
    private let errorPages: ClientErrorPageController
    private let textPages: AdminTextPageController
    private let health: HealthController
    private let status: StatusController
    private let jobs: JobController
    private let errors: ClientErrorController
    private let texts: TextController

    /// - Parameter clock: `nil` where a test sets the clock.
    init(
        pages: PageServices, store: StoreService, statuses: StatusService, jobs: JobService,
        errors: ClientErrorService, texts: TextService, teams: TeamService, firstSteps: FirstStepsService,
        health: HealthService, testMails: TestMailService, clientAddress: ClientAddress, clock: ClockCheck?
    ) {
        let errorForms: PageForms<ClientErrorNotice> = pages.forms(for: .admin)
        startPages = AdminStartPageController(
            forms: pages.forms(for: .admin), teams: teams, firstSteps: firstSteps, health: health,
            testMails: testMails, jobs: jobs)
        statusPages = StatusPageController(forms: errorForms, statuses: statuses)
        jobPages = AdminJobPageController(forms: pages.forms(for: .admin), jobs: jobs, clock: clock)
        errorPages = ClientErrorPageController(forms: errorForms, errors: errors)
        textPages = AdminTextPageController(forms: pages.forms(for: .admin), texts: texts)
        self.health = HealthController(store: store, clock: clock)
        status = StatusController(statuses: statuses)
        self.jobs = JobController(jobs: jobs)
        self.errors = ClientErrorController(errors: errors, clientAddress: clientAddress)
        self.texts = TextController(texts: texts)
    }

    func addRoutes(to routes: RouteGroups) {
        addPages(to: routes.pages)
        routes.open.get("/health", use: health.show)
        routes.open.get("/health/live", use: health.live)
        routes.open.get("/health/ready", use: health.ready)
        // An error may be that of the page on which a member votes, or be why someone cannot log in.
        routes.untracedOpenAPI.post("/client-errors", use: errors.report)
        routes.api.get("/ping", use: health.ping)
        let administratorAPI = routes.administratorAPI
        administratorAPI.get("/admin/status", use: status.show)
        administratorAPI.get("/admin/jobs", use: jobs.list)
        administratorAPI.post("/admin/jobs/{job}/restart", use: jobs.restart)
        administratorAPI.delete("/admin/jobs/{job}", use: jobs.deleteDead)
        administratorAPI.get("/admin/client-errors", use: errors.list)
        administratorAPI.patch("/admin/client-errors/{error}", use: errors.change)
        administratorAPI.delete("/admin/client-errors/{error}", use: errors.delete)
        administratorAPI.get("/admin/texts", use: texts.list)
        administratorAPI.get("/admin/texts/{language}/{text}", use: texts.show)
        administratorAPI.put("/admin/texts/{language}/{text}", use: texts.change)
        administratorAPI.delete("/admin/texts/{language}/{text}", use: texts.restore)
    }

    private func addPages(to pages: RouteGroups.Group) {
        pages.get("/admin", use: startPages.show)
        pages.post("/admin/test-mail", use: startPages.sendTestMail)
        pages.post("/admin/backup", use: startPages.makeBackup)
        pages.get("/admin/status", use: statusPages.show)
        pages.get("/admin/jobs", use: jobPages.show)
        pages.post("/admin/jobs/restart", use: jobPages.restart)
        pages.post("/admin/jobs/drop", use: jobPages.deleteDead)
        pages.get("/admin/errors", use: errorPages.list)
        pages.get("/admin/errors/{error}", use: errorPages.show)
        pages.post("/admin/errors/{error}", use: errorPages.change)
        pages.post("/admin/errors/{error}/delete", use: errorPages.delete)
        pages.get("/admin/texts", use: textPages.list)
        pages.get("/admin/texts/{language}/{text}", use: textPages.show)
        pages.post("/admin/texts/{language}/{text}", use: textPages.change)
        pages.post("/admin/texts/{language}/{text}/original", use: textPages.restore)
    }
}
