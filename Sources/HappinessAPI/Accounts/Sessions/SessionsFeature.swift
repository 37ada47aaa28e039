import Hummingbird
import Services

/// Logging in and out, with a browser or through the API, and the list of a member's sessions.
struct SessionsFeature: Feature {
    /// Where browsers that are not logged in are sent.
    let logInPages: LogInPageController
    private let sessionPages: SessionSettingsPageController
    private let authentication: AuthenticationController
    private let sessions: SessionController

    /// - Parameters:
    ///   - votePages: show a vote again that was sent after the log-in had ended.
    ///   - setup: tells the log-in page whether there is an account at all.
    ///   - providers: offered beside the password.
    init(_ services: AppServices, votePages: VotePageController, setup: SetupService, providers: [SignOnProvider]) {
        let keptForms = KeptFormPageController(
            pages: services.pages, viewers: services.viewers, votes: votePages,
            forms: FormSealer(
                sealed: SealedText(secret: services.secrets.jwt, for: .keptForm),
                formTokens: services.browsers.formTokens))
        logInPages = LogInPageController(
            pages: services.pages, logIns: services.logIns, browsers: services.browsers,
            browserLogIns: services.browserLogIns, keptForms: keptForms, setup: setup, providers: providers,
            takesRegistrations: services.environment.settings.accounts.registrationDomains.isOpen,
            clientAddress: services.clientAddress)
        sessionPages = SessionSettingsPageController(
            forms: services.settingsForms, logIns: services.logIns, clock: services.clock)
        authentication = AuthenticationController(logIns: services.logIns, clientAddress: services.clientAddress)
        sessions = SessionController(logIns: services.logIns)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/login", use: logInPages.form)
        routes.ownForms.post("/login", use: logInPages.logIn)
        routes.pages.post("/logout", use: logInPages.logOut)
        routes.ownForms.post("/kept-form", use: logInPages.keptForms.goOn)
        routes.votePages.get("/kept-form", use: logInPages.keptForms.loggedInAgain)
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
