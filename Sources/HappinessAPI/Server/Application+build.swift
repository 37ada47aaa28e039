import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Shared

/// What the server is built from; tests hand over their own.
struct AppEnvironment: Sendable {
    let stores: Stores
    let secrets: Secrets
    let settings: Settings
    let hasher: PasswordHasher
    let pictures: PictureEnvironment
    let clock: WallClock
    /// Whether the clock is compared with others before sprints start or end; tests that set it do not.
    var checksClock = true
    let files: ServerFiles
    let logger: Logger
}

/// Where pictures are received, made and kept.
struct PictureEnvironment: Sendable {
    let objects: any ObjectStore
    let maker: any PictureMaker
    let uploads: UploadFolder
}

/// The parts of the server that outlive one request, wired together here and nowhere else.
struct AppParts {
    let router: Router<AppRequestContext>
    /// Must be closed after the last request, so that waiting ballots are committed.
    let ballotBox: BallotBox
    /// What the server counts while it serves.
    let activity: ServerActivity
    /// Runs beside the server.
    let heartbeat: ProcessHeartbeat
    /// Runs beside the server, and longer than it.
    let publicationFeed: PublicationFeed
    /// Runs beside the server.
    let textFeed: TextFeed
    /// Has the link that the server prints while there is no account.
    let setup: SetupService

    /// - Throws: an error of the file system if a file of the installation is missing.
    init(_ environment: AppEnvironment) throws {
        let stores = environment.stores
        let clock = environment.clock
        let secret = environment.secrets.ballot
        let memberships = MembershipCache(teams: stores.teams, clock: clock)
        let processID = ProcessRecord.ID.random()
        let check = ClockCheck(stores: stores, ownID: processID, clock: clock, logger: environment.logger)
        let sprints = SprintService(
            stores: stores, secret: secret, clock: clock, timing: environment.checksClock ? .checked(check) : .trusted)
        let publications = PublicationService(
            stores: stores, sprints: sprints, memberships: memberships, secret: secret)
        let box = BallotBox(store: stores.ballots, partitions: stores.system.ballotPartitions, clock: clock)
        let ballots = BallotService(
            box: box, stores: stores, sprints: sprints, memberships: memberships, secret: secret, clock: clock,
            logger: environment.logger)
        let currentSprints = CurrentSprints(
            publications: publications, sprints: sprints, teams: stores.teams, clock: clock)
        let logIns = try LogInService(
            stores: stores, secrets: environment.secrets, hasher: environment.hasher,
            settings: environment.settings.accounts, clock: clock)
        let accounts = AccountService(
            stores: stores, secrets: environment.secrets, hasher: environment.hasher,
            authenticator: logIns.authenticator, memberships: memberships, clock: clock)
        let clientAddress = ClientAddress(trustedProxies: environment.settings.server.trustedProxies)
        let publicURL = environment.settings.server.publicURL
        let classicTeams = ClassicTeams(stores: stores, memberships: memberships)
        let devices = DeviceService(stores: stores, clock: clock)
        let mails = MailJobs(jobs: stores.jobs, clock: clock)
        let texts = environment.files.texts
        let textFeed = TextFeed(catalog: texts, store: stores.texts)
        let pages = environment.files.pages
        let passwordPolicy = environment.settings.accounts.passwordPolicy
        let setup = SetupService(stores: stores, hasher: environment.hasher, policy: passwordPolicy, clock: clock)
        let passwordResets = PasswordResetService(
            stores: stores, secrets: environment.secrets, mails: mails, hasher: environment.hasher,
            passwordPolicy: passwordPolicy, authenticator: logIns.authenticator, clock: clock)
        let passwords = PasswordChangeService(
            stores: stores, secrets: environment.secrets, mails: mails, hasher: environment.hasher,
            passwordPolicy: passwordPolicy, authenticator: logIns.authenticator, clock: clock)
        let emailChanges = EmailChangeService(
            stores: stores, secrets: environment.secrets, mails: mails,
            confirmation: PasswordConfirmation(
                stores: stores, secrets: environment.secrets, hasher: environment.hasher, clock: clock),
            clock: clock)
        let invitations = InvitationService(
            stores: stores, secret: secret, hasher: environment.hasher, policy: passwordPolicy, clock: clock)
        let registrations = RegistrationService(
            stores: stores, secrets: environment.secrets, domains: environment.settings.accounts.registrationDomains,
            hasher: environment.hasher, policy: passwordPolicy, clock: clock)
        let providers = environment.settings.openID.providers.map {
            SignOnProvider($0, publicURL: publicURL, clock: clock, logger: environment.logger)
        }
        let logInCodes = LogInCodes(stores: stores, clock: clock)
        let pictures = environment.pictures
        let pictureLinks = PictureLinks(
            objects: pictures.objects, secrets: environment.secrets, publicURL: publicURL, clock: clock)
        let browsers = BrowserSessions(
            cookie: BrowserCookie(publicURL: publicURL), formTokens: FormTokens(secret: environment.secrets.jwt),
            authenticator: logIns.authenticator)
        let sendsToBrowsers = environment.settings.push.webPush != nil
        let viewers = Viewers(
            stores: stores, browsers: browsers, pictures: pictureLinks, sendsToBrowsers: sendsToBrowsers)
        let liveSprints = LiveSprints(publications: publications, sprints: sprints, teams: stores.teams, clock: clock)
        let pictureController = PictureController(
            pictures: PictureService(
                stores: stores, objects: pictures.objects, maker: pictures.maker, secrets: environment.secrets,
                clock: clock, logger: environment.logger),
            removals: PictureRemovalService(stores: stores, clock: clock), links: pictureLinks,
            uploads: pictures.uploads)
        let absences = AbsenceService(stores: stores, clock: clock)
        let settingsForms = SettingsForms(pages: pages, viewers: viewers, audience: .member)
        let settingsPages = SettingsControllers(
            overview: SettingsPages(
                forms: settingsForms, accounts: accounts, teams: stores.teams, pictures: pictureLinks),
            picture: PictureSettingsPages(forms: settingsForms, accounts: accounts, pictures: pictureController),
            password: PasswordSettingsPages(
                forms: settingsForms, accounts: accounts, passwords: passwords, policy: passwordPolicy),
            email: EmailSettingsPages(forms: settingsForms, accounts: accounts, emails: emailChanges),
            sessions: SessionSettingsPages(forms: settingsForms, logIns: logIns, clock: clock),
            notifications: NotificationSettingsPages(
                forms: settingsForms, accounts: accounts, absences: absences,
                sendsToBrowsers: sendsToBrowsers),
            deletion: AccountDeletionPages(forms: settingsForms, accounts: accounts))
        let browserLogIns = BrowserLogIns(
            cookie: browsers.cookie, logIns: logIns, accounts: accounts, logger: environment.logger)
        let newcomers = NewcomerWelcome(pages: pages, browserLogIns: browserLogIns)
        let teams = TeamService(stores: stores, secret: secret, memberships: memberships, clock: clock) {
            sprints.forget($0)
        }
        let votePages = VotePages(
            pages: pages, viewers: viewers, browsers: browsers, liveSprints: liveSprints, ballots: ballots,
            teams: teams, clock: clock)
        let keptForms = KeptFormPages(
            pages: pages, viewers: viewers, votes: votePages,
            forms: KeptForms(
                sealed: SealedText(secret: environment.secrets.jwt, for: .keptForm), formTokens: browsers.formTokens))
        let actions = ActionService(stores: stores, sprints: sprints)
        let actionForms = PageForms<ActionNotice>(pages: pages, viewers: viewers, audience: .team)
        let actionControllers = ActionControllers(
            board: ActionBoardPages(forms: actionForms, actions: actions, pictures: pictureLinks, clock: clock),
            editing: ActionPages(forms: actionForms, actions: actions, pictures: pictureLinks, clock: clock),
            api: ActionController(actions: actions))
        let reminders = ReminderService(stores: stores, clock: clock)
        let experiments = ExperimentService(stores: stores, clock: clock)
        let deliveries = DeliveryService(stores: stores, sprints: sprints, secret: secret, clock: clock)
        let jobs = JobService(stores: stores, clock: clock)
        let manageForms = ManageForms(pages: pages, viewers: viewers, audience: .manager)
        let marks = TeamMarksCache(actions: stores.actions, clock: clock)
        let histories = TeamHistories(publications: publications, teams: stores.teams, clock: clock)
        let feed = PublicationFeed(sprints: sprints, teams: stores.teams)
        let activity = ServerActivity()
        let heartbeat = ProcessHeartbeat(
            .api, id: processID, store: stores.processes, activity: activity,
            check: environment.checksClock ? check : nil, clock: clock, logger: environment.logger)
        let statuses = StatusService(
            system: stores.system, processes: ProcessService(stores: stores, clock: clock),
            parts: ServicePart.all(environment.settings, stores: stores, objects: pictures.objects),
            heartbeat: heartbeat, dataDirectory: environment.settings.dataDirectory, clock: clock,
            logger: environment.logger)
        let controllers = Controllers(
            health: HealthController(
                system: stores.system, clock: environment.checksClock ? check : nil),
            documents: environment.files.documents,
            logInPages: LogInPages(
                pages: pages, logIns: logIns, browsers: browsers, browserLogIns: browserLogIns,
                keptForms: keptForms, setup: setup, providers: providers,
                takesRegistrations: environment.settings.accounts.registrationDomains.isOpen,
                clientAddress: clientAddress),
            teamPages: TeamPages(
                pages: pages, viewers: viewers, stores: stores, liveSprints: liveSprints, ballots: ballots, clock: clock
            ),
            votePages: votePages,
            settings: settingsPages,
            operation: OperationControllers(
                pages: pages, viewers: viewers,
                errors: ClientErrorService(stores: stores, secrets: environment.secrets, clock: clock),
                statuses: statuses),
            webApp: environment.files.webApp,
            authentication: AuthenticationController(logIns: logIns, clientAddress: clientAddress),
            setupPages: SetupPages(pages: pages, setup: setup, browserLogIns: browserLogIns),
            passwordResets: PasswordResetController(resets: passwordResets, clientAddress: clientAddress),
            passwordResetPages: PasswordResetPages(
                pages: pages, resets: passwordResets, passwordPolicy: passwordPolicy, clientAddress: clientAddress),
            credentials: CredentialsController(passwords: passwords, emails: emailChanges),
            emailConfirmationPages: EmailConfirmationPages(pages: pages, emails: emailChanges),
            singleSignOn: SingleSignOnController(
                providers: providers, users: SingleSignOnService(stores: stores, clock: clock), codes: logInCodes,
                logIns: logIns, browserLogIns: browserLogIns,
                cookie: SignOnCookie(
                    sealed: SealedText(secret: environment.secrets.jwt, for: .signOn), publicURL: publicURL),
                pages: pages, clock: clock),
            singleSignOnAPI: SingleSignOnAPIController(providers: providers, codes: logInCodes, logIns: logIns),
            me: MeController(accounts: accounts, links: pictureLinks),
            pictures: pictureController,
            pictureDelivery: PictureDelivery(
                links: pictureLinks, objects: pictures.objects,
                defaults: try DefaultPictures(
                    maker: pictures.maker, resources: environment.files.resources, clock: clock),
                clock: clock),
            absences: AbsenceController(absences: absences),
            sessions: SessionController(logIns: logIns),
            devices: DeviceController(
                devices: devices, webPushPolicy: environment.settings.push.webPush?.policy ?? .standard),
            webPush: WebPushController(
                key: sendsToBrowsers ? environment.secrets.vapid : nil),
            jobs: JobController(jobs: jobs),
            administration: AdministrationControllers(
                forms: PageForms(pages: pages, viewers: viewers, audience: .admin),
                people: PeopleService(
                    stores: stores, accounts: accounts, passwordResets: passwordResets,
                    authenticator: logIns.authenticator),
                invitations: invitations, teams: teams, deliveries: deliveries, jobs: jobs),
            teams: TeamController(stores: stores, teams: teams, publicURL: publicURL),
            teamMembers: TeamMemberController(teams: teams, links: pictureLinks),
            manage: ManageControllers(
                overview: TeamOverviewPages(forms: manageForms, histories: histories, reminders: reminders),
                settings: TeamSettingsPages(forms: manageForms, teams: teams, sprints: sprints),
                reminders: TeamReminderPages(
                    forms: manageForms, reminders: reminders, deliveries: deliveries, clock: clock),
                experiments: TeamExperimentPages(forms: manageForms, experiments: experiments, clock: clock),
                members: TeamMemberPages(
                    forms: manageForms, teams: teams, invitations: invitations, pictures: pictureLinks,
                    publicURL: publicURL),
                messages: TeamMessagePages(forms: manageForms, deliveries: deliveries)),
            reminders: ReminderController(reminders: reminders),
            experiments: ExperimentController(experiments: experiments),
            deliveries: DeliveryController(deliveries: deliveries),
            sprints: SprintController(publications: publications, currentSprints: currentSprints, ballots: ballots),
            ballots: BallotController(ballots: ballots, authenticator: logIns.authenticator),
            history: HistoryController(
                publications: publications, sprints: sprints, marks: marks, stores: stores, clock: clock),
            events: EventController(
                feed: feed, memberships: memberships, authenticator: logIns.authenticator, teams: stores.teams),
            historyPages: HistoryPages(pages: pages, viewers: viewers, histories: histories, marks: marks),
            sprintPages: SprintPages(
                pages: pages, viewers: viewers, publications: publications, histories: histories, actions: actions),
            actions: actionControllers,
            texts: TextControllers(
                pages: pages, viewers: viewers,
                texts: TextService(stores: stores, catalog: texts, feed: textFeed, clock: clock)),
            invitations: InvitationController(invitations: invitations),
            invitationPages: InvitationPageController(
                invitations: invitations, pages: pages, newcomers: newcomers),
            registrations: RegistrationController(registrations: registrations, clientAddress: clientAddress),
            registrationPages: RegistrationPageController(
                registrations: registrations, pages: pages, newcomers: newcomers, clientAddress: clientAddress),
            ownForms: SameOriginMiddleware(publicURL: publicURL),
            classicUser: ClassicUserController(
                logIns: logIns, passwords: passwords, accounts: accounts, stores: stores,
                clientAddress: clientAddress, links: pictureLinks),
            classicDevices: ClassicDeviceController(devices: devices, teams: classicTeams),
            classicHappiness: ClassicHappinessController(
                teams: classicTeams, ballots: ballots, publications: publications, currentSprints: currentSprints,
                stores: stores))
        router = Self.router(
            controllers, authenticator: logIns.authenticator, activity: activity, errorPages: ErrorPages(pages: pages),
            pictureOrigin: environment.settings.objects.linkOrigin, logger: environment.logger)
        ballotBox = box
        publicationFeed = feed
        self.activity = activity
        self.heartbeat = heartbeat
        self.textFeed = textFeed
        self.setup = setup
    }

    private static func router(
        _ controllers: Controllers, authenticator: Authenticator, activity: ServerActivity, errorPages: ErrorPages,
        pictureOrigin: String?, logger: Logger
    ) -> Router<AppRequestContext> {
        // The matcher for 405 knows every route, so it is made from a router of its own that is filled the same way.
        let routes = Router(context: AppRequestContext.self, options: [.autoGenerateHeadEndpoints])
        addRoutes(to: routes, controllers: controllers, authenticator: authenticator)
        let matcher = RouteMatcher(routes)

        let router = Router(context: AppRequestContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: SecurityHeadersMiddleware(pictureOrigin: pictureOrigin))
        router.add(middleware: TransferCodingMiddleware())
        router.add(middleware: RequestLogMiddleware(activity: activity, logger: logger))
        router.add(middleware: ErrorMiddleware(allowedMethods: matcher.methods, pages: errorPages))
        router.add(middleware: ControlCharacterMiddleware())
        router.add(middleware: ContinueMiddleware())
        addRoutes(to: router, controllers: controllers, authenticator: authenticator)
        return router
    }
}

/// The server on its port.
func buildApplication(
    _ parts: AppParts, settings: ServerSettings, logger: Logger,
    onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    let logger = logger.forServerFramework
    return Application(
        router: parts.router,
        server: .http1(
            configuration: .init(
                // Seconds. More than those after which whoever sends a body slowly is told of it (`RequestPace.base`).
                additionalChannelHandlers: [RequestTimeoutHandler(limit: .seconds(45)), RequestSequenceHandler()],
                // Seconds. Longer than a phone's client keeps a connection open between two screens, short enough that
                // abandoned ones go, and heads that do not end.
                idleTimeout: .seconds(60),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))),
        configuration: ApplicationConfiguration(
            address: .hostname(settings.host, port: settings.port), backlog: 1024,
            availableConnectionsDelegate: ConnectionCounter(
                maximum: settings.maximumConnections, activity: parts.activity, logger: logger)),
        services: [parts.textFeed, parts.publicationFeed, parts.heartbeat],
        onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? settings.port) },
        logger: logger)
}
