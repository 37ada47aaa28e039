import Hummingbird
import Services

/// Logging in and out, with a browser or through the API, and the list of a member's sessions.
struct SessionsFeature: Feature {
    /// Where browsers that are not logged in are sent.
    let loginPages: LoginPageController
    private let sessionPages: SessionSettingsPageController
    private let authentication: AuthenticationController
    private let sessions: SessionController

    /// - Parameters:
    ///   - votePages: show a vote again that was sent after the login had ended.
    ///   - setup: tells the login page whether there is an account at all.
    ///   - providers: offered beside the password.
    init(_ services: AppServices, votePages: VotePageController, setup: SetupService, providers: [SingleSignOnProvider])
    {
        let keptForms = SavedFormPageController(
            pages: services.pages, viewers: services.viewers, votes: votePages,
            forms: FormSealer(
                sealed: SealedText(secret: services.secrets.jwt, for: .keptForm),
                formTokens: services.browsers.formTokens))
        loginPages = LoginPageController(
            pages: services.pages, logins: services.logins, browsers: services.browsers,
            browserLogins: services.browserLogins, keptForms: keptForms, setup: setup, providers: providers,
            takesRegistrations: services.environment.settings.accounts.registrationDomains.isOpen,
            clientAddress: services.clientAddress)
        sessionPages = SessionSettingsPageController(
            forms: services.settingsForms, logins: services.logins, clock: services.clock)
        authentication = AuthenticationController(logins: services.logins, clientAddress: services.clientAddress)
        sessions = SessionController(logins: services.logins)
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
