import Services

/// The services that more than one feature uses, created once for the process. What only one feature uses, that feature
/// creates itself.
struct AppServices: Sendable {
    let environment: AppEnvironment
    let pages: PageRenderer
    /// Runs beside the server.
    let revocations: RevocationFeed
    let memberships: MembershipCache
    let sprints: SprintService
    let publications: PublicationService
    let liveSprints: LiveSprintCache
    let histories: HistoryCache
    let marks: TeamMarksCache
    /// Must be closed after the last request, so that waiting ballots are committed.
    let ballotBox: BallotBox
    let ballotKeys: BallotKeyService
    let ballots: BallotService
    let teams: TeamService
    let firstSteps: FirstStepsService
    let reminders: ReminderService
    let actions: ActionService
    let invitations: InvitationService
    let logins: LoginService
    let accounts: AccountService
    let mails: MailJobs
    /// Where browsers send our cookies.
    let cookies: CookieScope
    let browsers: BrowserSessions
    let browserLogins: BrowserLogins
    let viewers: ViewerFinder
    let pictureLinks: PictureLinks
    let clientAddress: ClientAddress
    /// Forms on the pages of a member's settings, of a team's leads, and of administrators.
    let settingsForms: SettingsForms
    let manageForms: ManageForms
    let adminForms: AdminForms

    var stores: Stores { environment.stores }
    var secrets: Secrets { environment.secrets }
    var clock: WallClock { environment.clock }
    var publicURL: String { environment.settings.server.publicURL }
    /// Whether members can get reminders in their browsers.
    var sendsToBrowsers: Bool { environment.settings.push.webPush != nil }
    /// `Settings.feedbackDays`
    var feedbackDays: Int? { environment.settings.feedbackDays }

    /// - Parameter timing: asked before a sprint starts or ends by the clock.
    /// - Throws: an error of the password hash that unknown accounts are compared with.
    init(_ environment: AppEnvironment, timing: SprintTiming) throws {
        let stores = environment.stores
        let secrets = environment.secrets
        let settings = environment.settings
        let clock = environment.clock
        let pages = environment.files.pages
        self.environment = environment
        self.pages = pages
        revocations = RevocationFeed(sessions: stores.sessions, clock: clock)
        memberships = MembershipCache(teams: stores.teams, revocations: revocations, clock: clock)
        let sprints = SprintService(stores: stores, secret: secrets.ballot, clock: clock, timing: timing)
        self.sprints = sprints
        publications = PublicationService(
            stores: stores, sprints: sprints, memberships: memberships, secret: secrets.ballot)
        liveSprints = LiveSprintCache(publications: publications, sprints: sprints, teams: stores.teams, clock: clock)
        histories = HistoryCache(publications: publications, teams: stores.teams, clock: clock)
        marks = TeamMarksCache(actions: stores.actions, clock: clock)
        ballotBox = BallotBox(store: stores.ballots, partitions: stores.system.ballotPartitions, clock: clock)
        ballotKeys = BallotKeyService(
            store: stores.ballotKeys, secret: secrets.ballot, clock: clock, logger: environment.logger)
        ballots = BallotService(
            box: ballotBox, keys: ballotKeys, stores: stores, sprints: sprints, memberships: memberships,
            secret: secrets.ballot, publicURL: settings.server.publicURL, clock: clock, logger: environment.logger)
        teams = TeamService(stores: stores, secret: secrets.ballot, memberships: memberships, clock: clock) {
            sprints.forget($0)
        }
        firstSteps = FirstStepsService(
            stores: stores, ballots: ballots, secret: secrets.ballot, keepsMails: pages.keepsMails)
        reminders = ReminderService(stores: stores, clock: clock)
        actions = ActionService(stores: stores, sprints: sprints)
        invitations = InvitationService(
            stores: stores, secret: secrets.ballot, hasher: environment.hasher,
            policy: settings.accounts.passwordPolicy, clock: clock)
        logins = try LoginService(
            stores: stores, secrets: secrets, hasher: environment.hasher, settings: settings.accounts,
            memberships: memberships, clock: clock)
        accounts = AccountService(
            stores: stores, secrets: secrets, hasher: environment.hasher, authenticator: logins.authenticator,
            memberships: memberships, clock: clock)
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        cookies = CookieScope(publicURL: settings.server.publicURL)
        browsers = BrowserSessions(
            cookie: BrowserCookie(scope: cookies),
            formTokens: FormTokens(secret: secrets.jwt),
            authenticator: logins.authenticator)
        browserLogins = BrowserLogins(
            cookie: browsers.cookie, logins: logins, accounts: accounts, logger: environment.logger)
        pictureLinks = PictureLinks(
            objects: environment.pictures.objects, secrets: secrets, publicURL: settings.server.publicURL,
            clock: clock)
        viewers = ViewerFinder(
            users: stores.users, teams: stores.teams, browsers: browsers, pictures: pictureLinks,
            sendsToBrowsers: settings.push.webPush != nil)
        clientAddress = ClientAddress(trustedProxies: settings.server.trustedProxies)
        settingsForms = SettingsForms(pages: pages, viewers: viewers, audience: .member)
        manageForms = ManageForms(pages: pages, viewers: viewers, audience: .manager)
        adminForms = AdminForms(pages: pages, viewers: viewers, audience: .admin)
    }
}
