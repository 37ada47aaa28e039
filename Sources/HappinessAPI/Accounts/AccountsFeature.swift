import Domain
import Hummingbird
import Ports
import Services

/// A person's account: settings, password, e-mail address and deletion, the first administrator, and the
/// administrators' pages about people.
struct AccountsFeature: Feature {
    private let setupPages: SetupPageController
    private let settingsPages: SettingsPageController
    private let namePages: NameSettingsPageController
    private let passwordPages: PasswordSettingsPageController
    private let emailPages: EmailSettingsPageController
    private let deletionPages: AccountDeletionPageController
    private let peoplePages: AdminUserListPageController
    private let personPages: AdminUserPageController
    private let passwordResetPages: PasswordResetPageController
    private let emailConfirmationPages: EmailConfirmationPageController
    private let me: MeController
    private let credentials: CredentialsController
    private let passwordResets: PasswordResetController
    private let people: UserController
    private let classic: ClassicUserController
    private let webhooks: MailgunWebhookController

    /// - Parameter mailgunKey: `MailSettings.mailgunWebhookKey`
    init(
        pages: PageServices, setup: SetupService, accounts: AccountService, teams: TeamService,
        passwords: PasswordChangeService, passwordPolicy: PasswordPolicy, resets: PasswordResetService,
        emails: EmailChangeService, people: UserAdministrationService, addresses: AddressFaultService,
        mailgunKey: SecretText?, logins: LoginService, browserLogins: BrowserLogins, cookies: CookieScope,
        clientAddress: ClientAddress, pictures: PictureLinks, answers: AnswerLanguage
    ) {
        let forms: SettingsForms = pages.forms(for: .member)
        let adminForms: AdminForms = pages.forms(for: .admin)
        setupPages = SetupPageController(pages: pages.renderer, setup: setup, browserLogins: browserLogins)
        namePages = NameSettingsPageController(forms: forms, accounts: accounts)
        settingsPages = SettingsPageController(
            forms: forms, accounts: accounts, teams: teams, pictures: pictures, cookies: cookies)
        passwordPages = PasswordSettingsPageController(
            forms: forms, accounts: accounts, passwords: passwords, policy: passwordPolicy)
        emailPages = EmailSettingsPageController(forms: forms, accounts: accounts, emails: emails)
        deletionPages = AccountDeletionPageController(forms: forms, accounts: accounts)
        peoplePages = AdminUserListPageController(forms: adminForms, people: people)
        personPages = AdminUserPageController(forms: adminForms, people: people)
        passwordResetPages = PasswordResetPageController(
            pages: pages.renderer, resets: resets, passwordPolicy: passwordPolicy, clientAddress: clientAddress)
        emailConfirmationPages = EmailConfirmationPageController(pages: pages.renderer, emails: emails)
        me = MeController(accounts: accounts, links: pictures, catalog: pages.renderer.texts)
        credentials = CredentialsController(passwords: passwords, emails: emails, answers: answers)
        passwordResets = PasswordResetController(
            resets: resets, clientAddress: clientAddress, answers: answers)
        self.people = UserController(people: people)
        webhooks = MailgunWebhookController(addresses: addresses, key: mailgunKey)
        classic = ClassicUserController(
            logins: logins, passwords: passwords, accounts: accounts, clientAddress: clientAddress, links: pictures,
            answers: answers)
    }

    func addRoutes(to routes: RouteGroups) {
        addSettings(to: routes.pages)
        addAdministration(to: routes.pages, routes.administratorAPI)
        routes.open.get("/setup", use: setupPages.form)
        routes.open.post("/setup", use: setupPages.create)
        routes.open.get("/confirm-email", use: emailConfirmationPages.form)
        routes.open.post("/confirm-email", use: emailConfirmationPages.confirm)
        routes.open.get("/forgot-password", use: passwordResetPages.requestForm)
        routes.ownForms.post("/forgot-password", use: passwordResetPages.requestMail)
        routes.open.get("/user/resetPassword", use: passwordResetPages.form)
        routes.open.post("/user/resetPassword", use: passwordResetPages.reset)

        routes.openAPI.post("/auth/password-reset", use: passwordResets.requestMail)
        routes.openAPI.post("/auth/password-reset/confirm", use: passwordResets.confirm)
        routes.api.get("/me", use: me.show)
        routes.api.patch("/me", use: me.change)
        routes.api.delete("/me", use: me.delete)
        routes.api.get("/me/export", use: me.export)
        routes.api.put("/me/password", use: credentials.changePassword)
        routes.api.put("/me/email", use: credentials.changeEmail)

        routes.open.post("/webhooks/mailgun", use: webhooks.receive)
        routes.open.get("/.well-known/change-password", use: passwordPages.wellKnown)
        routes.open.post("/user/login", use: classic.logIn)
        routes.open.get("/user/sendPasswordResetMail", use: passwordResets.requestMailClassic)
        routes.classic.get("/user/profile", use: classic.profile)
        routes.classic.post("/user/changePassword", use: classic.changePassword)
        routes.classic.delete("/user/deleteAccount", use: classic.deleteAccount)
    }

    private func addSettings(to pages: RouteGroups.Group) {
        pages.get("/settings", use: settingsPages.show)
        pages.post("/settings/language", use: settingsPages.changeLanguage)
        pages.post("/settings/theme", use: settingsPages.changeTheme)
        pages.post("/settings/team", use: settingsPages.changeTeam)
        pages.get("/settings/name", use: namePages.show)
        pages.post("/settings/name", use: namePages.change)
        pages.get("/settings/password", use: passwordPages.show)
        pages.post("/settings/password", use: passwordPages.change)
        pages.get("/own-password", use: passwordPages.ask)
        pages.post("/own-password", use: passwordPages.choose)
        pages.get("/settings/email", use: emailPages.show)
        pages.post("/settings/email", use: emailPages.change)
        pages.get("/settings/delete", use: deletionPages.ask)
        pages.post("/settings/delete", use: deletionPages.delete)
    }

    private func addAdministration(to pages: RouteGroups.Group, _ api: RouteGroups.Group) {
        pages.get("/admin/people", use: peoplePages.show)
        pages.get("/admin/people/{user}", use: personPages.show)
        pages.post("/admin/people/{user}/role", use: personPages.changeRole)
        pages.post("/admin/people/{user}/email", use: personPages.changeEmail)
        pages.post("/admin/people/{user}/disabled", use: personPages.changeDisabled)
        pages.post("/admin/people/{user}/end-sessions", use: personPages.endSessions)
        pages.post("/admin/people/{user}/password-reset", use: personPages.resetPassword)
        pages.post("/admin/people/{user}/mail-again", use: personPages.mailAgain)
        pages.get("/admin/people/{user}/delete", use: personPages.askToDelete)
        pages.post("/admin/people/{user}/delete", use: personPages.delete)
        api.get("/admin/people", use: people.list)
        api.get("/admin/people/{user}", use: people.show)
        api.patch("/admin/people/{user}", use: people.change)
        api.delete("/admin/people/{user}", use: people.delete)
        api.delete("/admin/people/{user}/address-fault", use: people.liftAddressFault)
        api.post("/admin/people/{user}/end-sessions", use: people.endSessions)
        api.post("/admin/people/{user}/password-reset", use: people.resetPassword)
    }
}
