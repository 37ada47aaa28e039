import Domain
import Foundation
import Hummingbird
import Logging
import NIOCore
import Ports
import ServiceLifecycle
import Services
import Storage

/// The parts the server is built from; tests pass their own.
struct AppEnvironment: Sendable {
    let stores: Stores
    let secrets: Secrets
    let settings: Settings
    let hasher: PasswordHasher
    let pictures: PictureEnvironment
    let clock: WallClock
    /// Whether the clock is compared with others before sprints start or end; tests that set it do not.
    var checksClock = true
    /// `nil` if no traces are exported.
    var spans: SpanRecorder?
    let files: ServerFiles
    let logger: Logger
    /// Of the page about the installation's health; tests add their own.
    var healthChecks: [HealthService.Check] = []
}

/// Where pictures are received, converted and stored.
struct PictureEnvironment: Sendable {
    let objects: any ObjectStore
    let maker: any PictureMaker
    let uploads: UploadFolder
}

/// The server without its port: the features, their routes, and the services that run beside them.
struct AppParts {
    let router: Router<AppRequestContext>
    /// Below which the router's routes are reached.
    let publicPath: PublicPath
    /// Must be closed after the last request, so that waiting ballots are committed.
    let ballotBox: BallotBox
    /// Counts requests and connections while the server runs.
    let activity: ServerActivity
    /// Runs beside the server.
    let heartbeat: ProcessHeartbeat
    /// Runs beside the server, and longer than it.
    let publicationFeed: PublicationFeed
    /// Runs beside the server.
    let revocationFeed: RevocationFeed
    /// Runs beside the server.
    let textFeed: TextFeed
    /// Whether a proxy has other processes to turn to when this one stops.
    let handsOver: Bool
    /// Has the link that the server prints while there is no account.
    let setup: SetupService

    /// - Throws: an error of the file system if a file of the installation is missing.
    init(_ environment: AppEnvironment) throws {
        let processID = ProcessRecord.ID.random()
        let check =
            environment.checksClock
            ? ClockCheck(
                stores: environment.stores, ownID: processID, clock: environment.clock, logger: environment.logger)
            : nil
        let wiring = try AppWiring(environment, timing: check.map(SprintTiming.checked) ?? .trusted)
        activity = ServerActivity()
        publicationFeed = PublicationFeed(sprints: wiring.teams.sprints, store: environment.stores.rows)
        heartbeat = wiring.heartbeat(processID, activity: activity, check: check)
        textFeed = TextFeed(catalog: environment.files.texts, store: environment.stores.rows)
        setup = wiring.setup()

        let providers = wiring.signOnProviders()
        let voting = wiring.voting()
        let sessions = wiring.sessions(votePages: voting.votePages, setup: setup, providers: providers)
        let features: [any Feature] = [
            voting, wiring.results(feed: publicationFeed), wiring.reminders(), wiring.experiments(),
            wiring.teamManagement(), wiring.actions(), try wiring.pictures(), wiring.accounts(setup: setup), sessions,
            wiring.singleSignOn(providers), wiring.invitations(), wiring.registrations(),
            wiring.operations(heartbeat: heartbeat, textFeed: textFeed, check: check), wiring.search(),
            wiring.webApp(), wiring.trust(),
        ]
        router = Self.router(features, wiring: wiring, logIn: sessions.loginPages, activity: activity)
        publicPath = environment.files.pages.publicPath
        ballotBox = wiring.teams.ballotBox
        revocationFeed = wiring.users.revocations
        handsOver = environment.settings.store.allowsSeveralProcesses && environment.settings.server.trustedProxies > 0
    }

    private static func router(
        _ features: [any Feature], wiring: AppWiring, logIn: LoginPageController, activity: ServerActivity
    ) -> Router<AppRequestContext> {
        func addRoutes(to router: Router<AppRequestContext>) {
            let groups = RouteGroups(
                router, authenticator: wiring.users.logins.authenticator, roles: RoleCheck(stores: wiring.stores),
                browsers: logIn.browsers, publicURL: wiring.publicURL, askToLogIn: logIn.ask)
            for feature in features { feature.addRoutes(to: groups) }
        }
        // The matcher for 405 knows every route, so it is created from a router of its own that is filled the same way.
        let routes = Router(context: AppRequestContext.self, options: [.autoGenerateHeadEndpoints])
        addRoutes(to: routes)
        let matcher = RouteMatcher(routes)

        let environment = wiring.environment
        let pages = environment.files.pages
        let router = Router(context: AppRequestContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: SecurityHeadersMiddleware(pictureOrigin: environment.settings.objects.linkOrigin))
        router.add(middleware: TransferCodingMiddleware(language: wiring.answers))
        router.add(
            middleware: RequestLogMiddleware(activity: activity, logger: environment.logger, spans: environment.spans))
        router.add(
            middleware: ErrorMiddleware(
                allowedMethods: matcher.methods, language: wiring.answers,
                readable: ErrorPages(pages: pages).readable(_:to:error:)))
        router.add(middleware: HostMiddleware())
        router.add(middleware: ControlCharacterMiddleware())
        router.add(middleware: ContinueMiddleware())
        addRoutes(to: router)
        return router
    }
}

/// The server on its port or Unix socket. The socket's file is for the group too, so that a proxy in that group can connect.
func buildApplication(
    _ parts: AppParts, settings: ServerSettings, logger: Logger,
    onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    let logger = logger.forServerFramework
    let handsOver = parts.handsOver
    return Application(
        router: PublicPathRouter(routes: parts.router, path: parts.publicPath),
        server: .http1WithHost(
            configuration: .init(
                // Seconds. Longer than the limit after which a slow sender of a body gets a 408 (`UploadTimeout.base`).
                additionalChannelHandlers: [
                    RequestTimeoutHandler(limit: .seconds(45)), RequestSequenceHandler(handsOver: handsOver),
                ],
                // Seconds. Longer than a phone's client keeps a connection open between two screens, short enough that
                // abandoned ones go, and heads that do not end.
                idleTimeout: .seconds(60),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))),
        configuration: ApplicationConfiguration(
            address: settings.socketPath.map { .unixDomainSocket(path: $0) }
                ?? .hostname(settings.host, port: settings.port),
            backlog: 1024,
            availableConnectionsDelegate: ConnectionCounter(
                maximum: settings.maximumConnections, activity: parts.activity, logger: logger)),
        services: [parts.textFeed, parts.publicationFeed, parts.revocationFeed, parts.heartbeat],
        onServerRunning: { channel in
            if let path = settings.socketPath, chmod(path, 0o660) != 0 {
                logger.error(
                    "A proxy in the socket's group cannot connect",
                    metadata: ["socket": "\(path)", "error": "\(String(cString: strerror(errno)))"])
            }
            await onRunning(channel.localAddress?.port ?? settings.port)
        },
        logger: logger)
}
