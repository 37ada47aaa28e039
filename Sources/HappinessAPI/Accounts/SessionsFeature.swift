import Hummingbird
import Ports
import Services

/// Logging in and out, with a browser or through the API, and the list of a member's sessions.
struct SessionsFeature: Feature {
    /// Where browsers that are not logged in are sent.
    let loginPages: LoginPageController
    private let sessionPages: SessionSettingsPageController
    private let authentication: AuthenticationController
    private let sessions: SessionController

    /// - Parameters:
    ///   - savedForms: keep a form that was sent after the login had ended.
    ///   - votePages: show a vote again that was sent then.
    ///   - setup: tells the login page whether there is an account at all.
    ///   - providers: offered beside the password.
    ///   - takesRegistrations: whether the login page links to the registration.
    init(
        pages: PageServices, logins: LoginService, browsers: BrowserSessions, browserLogins: BrowserLogins,
        savedForms: FormSealer, votePages: VotePageController, setup: SetupService,
        providers: [SingleSignOnProvider], takesRegistrations: Bool, clientAddress: ClientAddress, clock: WallClock
    ) {
        let keptForms = SavedFormPageController(
            pages: pages.renderer, viewers: pages.viewers, votes: votePages, forms: savedForms)
        loginPages = LoginPageController(
            pages: pages.renderer, logins: logins, browsers: browsers, browserLogins: browserLogins,
            keptForms: keptForms, setup: setup, providers: providers, takesRegistrations: takesRegistrations,
            clientAddress: clientAddress)
        sessionPages = SessionSettingsPageController(forms: pages.forms(for: .member), logins: logins, clock: clock)
        authentication = AuthenticationController(logins: logins, clientAddress: clientAddress)
        sessions = SessionController(logins: logins)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/login", use: loginPages.form)
        routes.ownForms.post("/login", use: loginPages.logIn)
        routes.pages.post("/logout", use: loginPages.logOut)
        routes.ownForms.post("/kept-form", use: loginPages.keptForms.resume)
        routes.votePages.get("/kept-form", use: loginPages.keptForms.loggedInAgain)
        routes.pages.get("/settings/sessions", use: sessionPages.show)
        routes.pages.post("/settings/sessions/end", use: sessionPages.end)
        routes.pages.post("/settings/sessions/end-others", use: sessionPages.endOthers)

        routes.openAPI.post("/auth/login", use: authentication.logIn)
        routes.openAPI.post("/auth/refresh", use: authentication.refresh)
        routes.api.post("/auth/logout", use: authentication.logOut)
        routes.api.get("/me/sessions", use: sessions.list)
        routes.api.delete("/me/sessions", use: sessions.endOthers)
        routes.api.delete("/me/sessions/{session}", use: sessions.end)
    }
}
