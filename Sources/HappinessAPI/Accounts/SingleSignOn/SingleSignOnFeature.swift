import Hummingbird
import Services

/// Logging in through an OpenID provider, with a browser or an app.
struct SingleSignOnFeature: Feature {
    /// The configured providers, for the login page.
    let providers: [SingleSignOnProvider]
    private let pages: SingleSignOnController
    private let api: SingleSignOnAPIController

    init(_ services: AppServices) {
        let clock = services.clock
        let codes = LoginCodes(stores: services.stores, clock: clock)
        providers = services.environment.settings.openID.providers.map {
            SingleSignOnProvider($0, publicURL: services.publicURL, clock: clock, logger: services.environment.logger)
        }
        pages = SingleSignOnController(
            providers: providers, users: SingleSignOnService(stores: services.stores, clock: clock), codes: codes,
            logins: services.logins, browserLogins: services.browserLogins,
            cookie: SingleSignOnCookie(
                sealed: SealedText(secret: services.secrets.jwt, for: .signOn), scope: services.cookies),
            pages: services.pages, clock: clock)
        api = SingleSignOnAPIController(providers: providers, codes: codes, logins: services.logins)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/login/{provider}", use: pages.start)
        routes.open.get("/login/{provider}/callback", use: pages.finish)
        routes.openAPI.get("/auth/providers", use: api.list)
        routes.openAPI.post("/auth/exchange", use: api.exchange)
    }
}
