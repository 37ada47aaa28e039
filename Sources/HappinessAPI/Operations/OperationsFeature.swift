import Hummingbird
import Services

/// The state of the installation: health, status, jobs, errors of apps, and its own texts.
struct OperationsFeature: Feature {
    /// Runs beside the server.
    let heartbeat: ProcessHeartbeat
    /// Runs beside the server.
    let textFeed: TextFeed
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

    /// - Parameters:
    ///   - activity: what the server counts while it serves.
    ///   - check: `nil` where a test sets the clock.
    init(_ services: AppServices, processID: ProcessRecord.ID, activity: ServerActivity, check: ClockCheck?) {
        let environment = services.environment
        let stores = services.stores
        let clock = services.clock
        let pages = services.pages
        let viewers = services.viewers
        heartbeat = ProcessHeartbeat(
            .api, id: processID, store: stores.processes, system: stores.system, activity: activity, check: check,
            clock: clock, logger: environment.logger)
        textFeed = TextFeed(catalog: environment.files.texts, store: stores.texts)
        let statuses = StatusService(
            system: stores.system, processes: ProcessService(stores: stores, clock: clock),
            parts: [ServicePart.store(stores)]
                + ServicePart.all(environment.settings, objects: environment.pictures.objects),
            heartbeat: heartbeat, dataDirectory: environment.settings.dataDirectory, clock: clock,
            logger: environment.logger)
        let jobs = JobService(stores: stores, clock: clock)
        let errors = ClientErrorService(stores: stores, secrets: services.secrets, clock: clock)
        let texts = TextService(
            stores: stores, catalog: environment.files.texts, feed: textFeed, clock: clock)
        let errorForms = PageForms<ClientErrorNotice>(pages: pages, viewers: viewers, audience: .admin)
        startPages = AdminStartPageController(
            forms: services.adminForms, teams: stores.teams, firstSteps: services.firstSteps)
        statusPages = StatusPageController(forms: errorForms, statuses: statuses)
        jobPages = AdminJobPageController(forms: services.adminForms, jobs: jobs, clock: check)
        errorPages = ClientErrorPageController(forms: errorForms, errors: errors)
        textPages = AdminTextPageController(
            forms: PageForms<TextNotice>(pages: pages, viewers: viewers, audience: .admin), texts: texts)
        health = HealthController(system: stores.system, clock: check)
        status = StatusController(statuses: statuses)
        self.jobs = JobController(jobs: jobs)
        self.errors = ClientErrorController(errors: errors)
        self.texts = TextController(texts: texts)
    }

    func addRoutes(to routes: RouteGroups) {
        addPages(to: routes.pages)
        routes.open.get("/health", use: health.show)
        routes.open.get("/health/live", use: health.live)
        routes.open.get("/health/ready", use: health.ready)
        // An error may be that of the page on which a member votes.
        routes.untracedAPI.post("/client-errors", use: errors.report)
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
