import Domain
import Services
import Storage

/// The state of the installation, and the files of the web app.
extension AppWiring {
    /// - Parameter check: `nil` where a test sets the clock.
    func heartbeat(_ id: ProcessRecord.ID, activity: ServerActivity, check: ClockCheck?) -> ProcessHeartbeat {
        ProcessHeartbeat(
            .api, id: id, store: stores.rows, system: stores.system, activity: activity, check: check,
            clock: clock, logger: environment.logger)
    }

    /// - Parameter check: `nil` where a test sets the clock.
    func operations(heartbeat: ProcessHeartbeat, textFeed: TextFeed, check: ClockCheck?) -> OperationsFeature {
        let store = StoreService(stores: stores)
        let processes = ProcessService(stores: stores, clock: clock)
        return OperationsFeature(
            pages: pages, store: store,
            statuses: StatusService(
                store: store, processes: processes,
                parts: [ServicePart.store(store)]
                    + ServicePart.all(settings, objects: environment.pictures.objects),
                heartbeat: heartbeat, dataDirectory: settings.dataDirectory, clock: clock,
                logger: environment.logger),
            jobs: JobService(stores: stores, clock: clock),
            errors: ClientErrorService(stores: stores, secrets: secrets, clock: clock),
            texts: TextService(stores: stores, catalog: environment.files.texts, feed: textFeed, clock: clock),
            teams: teams.teams, firstSteps: teams.firstSteps,
            health: HealthService(checks: environment.healthChecks, processes: processes),
            testMails: TestMailService(stores: stores, mails: MailJobs(jobs: stores.jobs, clock: clock)),
            clientAddress: users.clientAddress, clock: check)
    }

    func trust() -> TrustFeature {
        TrustFeature(
            pages: pages.renderer, browsers: users.browsers, accounts: users.accounts, teams: teams.teams,
            sprints: teams.sprints, installation: TrustInstallation(settings))
    }

    func webApp() -> WebAppFeature {
        WebAppFeature(
            pages: pages.renderer, webApp: environment.files.webApp, documents: environment.files.documents,
            browsers: users.browsers, accounts: users.accounts)
    }
}
