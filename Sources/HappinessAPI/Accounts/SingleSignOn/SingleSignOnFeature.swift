import Hummingbird
import Ports
import Services

/// Logging in through an OpenID provider, with a browser or an app.
struct SingleSignOnFeature: Feature {
    private let pages: SingleSignOnController
    private let api: SingleSignOnAPIController

    init(
        pages: PageRenderer, providers: [SingleSignOnProvider], users: SingleSignOnService, codes: LoginCodes,
        logins: LoginService, browserLogins: BrowserLogins, cookie: SingleSignOnCookie, clock: WallClock
    ) {
        self.pages = SingleSignOnController(
            providers: providers, users: users, codes: codes, logins: logins, browserLogins: browserLogins,
            cookie: cookie, pages: pages, clock: clock)
        api = SingleSignOnAPIController(providers: providers, codes: codes, logins: logins)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/login/{provider}", use: pages.start)
        routes.open.get("/login/{provider}/callback", use: pages.finish)
        routes.openAPI.get("/auth/providers", use: api.list)
        routes.openAPI.post("/auth/exchange", use: api.exchange)
    }
}
