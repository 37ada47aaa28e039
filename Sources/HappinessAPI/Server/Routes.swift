import HTTPTypes
import Hummingbird
import Shared

/// What the routes are made of; `Application+build.swift` fills it.
struct Controllers: Sendable {
    let health: HealthController
    let documents: DocumentController
    let logInPages: LogInPages
    let teamPages: TeamPages
    let votePages: VotePages
    let settings: SettingsControllers
    let operation: OperationControllers
    let webApp: WebAppController
    let authentication: AuthenticationController
    let setupPages: SetupPages
    let passwordResets: PasswordResetController
    let passwordResetPages: PasswordResetPages
    let credentials: CredentialsController
    let emailConfirmationPages: EmailConfirmationPages
    let singleSignOn: SingleSignOnController
    let singleSignOnAPI: SingleSignOnAPIController
    let me: MeController
    let pictures: PictureController
    let pictureDelivery: PictureDelivery
    let absences: AbsenceController
    let sessions: SessionController
    let devices: DeviceController
    let webPush: WebPushController
    let jobs: JobController
    let administration: AdministrationControllers
    let teams: TeamController
    let teamMembers: TeamMemberController
    let manage: ManageControllers
    let reminders: ReminderController
    let experiments: ExperimentController
    let deliveries: DeliveryController
    let sprints: SprintController
    let ballots: BallotController
    let history: HistoryController
    let events: EventController
    let historyPages: HistoryPages
    let sprintPages: SprintPages
    let actions: ActionControllers
    let texts: TextControllers
    let invitations: InvitationController
    let invitationPages: InvitationPageController
    let registrations: RegistrationController
    let registrationPages: RegistrationPageController
    /// Keeps other sites' pages from sending our forms.
    let ownForms: SameOriginMiddleware
    let classicUser: ClassicUserController
    let classicDevices: ClassicDeviceController
    let classicHappiness: ClassicHappinessController
}

/// Every route there is. `openapi/openapi.yaml` describes those of the API, `docs/pages.md` lists all others; a test
/// compares both with these.
func addRoutes(to router: Router<AppRequestContext>, controllers: Controllers, authenticator: Authenticator) {
    let browsers = controllers.logInPages.browsers
    let member = AuthenticationMiddleware(authenticator: authenticator, notesUse: true, browsers: browsers)
    // Routes of `BallotRoutes`: their use leaves no trace in the session.
    let voter = AuthenticationMiddleware(authenticator: authenticator, notesUse: false, browsers: browsers)

    addPages(to: router, controllers: controllers)
    router.get("/api", use: controllers.documents.apiPage)
    router.get("/openapi.yaml", use: controllers.documents.openAPI)
    router.get("/assets/{name}", use: controllers.logInPages.pages.assets.show)
    router.get("/assets/v/{version}/{file}", use: controllers.logInPages.pages.assets.showVersioned)
    router.get("/manifest.webmanifest", use: controllers.webApp.manifest)
    router.get("/service-worker.js", use: controllers.webApp.serviceWorker)
    router.get("/offline", use: controllers.webApp.offline)
    router.get("/forgot-password", use: controllers.passwordResetPages.requestForm)
    router.group().add(middleware: controllers.ownForms)
        .post("/forgot-password", use: controllers.passwordResetPages.requestMail)
    router.get("/user/resetPassword", use: controllers.passwordResetPages.form)
    router.post("/user/resetPassword", use: controllers.passwordResetPages.reset)
    router.get("/setup", use: controllers.setupPages.form)
    router.post("/setup", use: controllers.setupPages.create)
    router.get("/login/{provider}", use: controllers.singleSignOn.start)
    router.get("/login/{provider}/callback", use: controllers.singleSignOn.finish)
    router.get("/confirm-email", use: controllers.emailConfirmationPages.form)
    router.post("/confirm-email", use: controllers.emailConfirmationPages.confirm)
    router.get("/pictures/initials/{name}", use: controllers.pictureDelivery.showInitials)
    router.get("/pictures/{id}/{name}", use: controllers.pictureDelivery.show)
    router.get("/health/live", use: controllers.health.live)
    router.get("/health/ready", use: controllers.health.ready)

    router.get("/invitation", use: controllers.invitationPages.form)
    router.post("/invitation", use: controllers.invitationPages.accept)
    router.get("/register", use: controllers.registrationPages.form)
    router.group().add(middleware: controllers.ownForms).post("/register", use: controllers.registrationPages.register)
    router.get("/registration", use: controllers.registrationPages.confirmation)
    router.post("/registration", use: controllers.registrationPages.confirm)

    let v1 = router.group("/api/v1")
    v1.post("/auth/login", use: controllers.authentication.logIn)
    v1.post("/auth/refresh", use: controllers.authentication.refresh)
    v1.get("/auth/providers", use: controllers.singleSignOnAPI.list)
    v1.post("/auth/exchange", use: controllers.singleSignOnAPI.exchange)
    v1.post("/auth/password-reset", use: controllers.passwordResets.requestMail)
    v1.post("/auth/password-reset/confirm", use: controllers.passwordResets.confirm)
    v1.get("/shared/{token}/chart.svg", use: controllers.history.sharedChart)

    v1.get("/push/web-key", use: controllers.webPush.show)

    v1.post("/invitations/accept", use: controllers.invitations.accept)
    v1.post("/registrations", use: controllers.registrations.register)
    v1.post("/registrations/resend", use: controllers.registrations.resend)

    let memberV1 = v1.group().add(middleware: member)
    memberV1.post("/auth/logout", use: controllers.authentication.logOut)
    memberV1.get("/ping", use: controllers.health.ping)
    memberV1.get("/me", use: controllers.me.show)
    memberV1.patch("/me", use: controllers.me.change)
    memberV1.delete("/me", use: controllers.me.delete)
    memberV1.get("/me/absences", use: controllers.absences.list)
    memberV1.put("/me/absences", use: controllers.absences.replace)
    memberV1.get("/me/export", use: controllers.me.export)
    memberV1.put("/me/picture", use: controllers.pictures.upload)
    memberV1.delete("/me/picture", use: controllers.pictures.remove)
    memberV1.get("/me/sessions", use: controllers.sessions.list)
    memberV1.delete("/me/sessions", use: controllers.sessions.endOthers)
    memberV1.delete("/me/sessions/{session}", use: controllers.sessions.end)
    memberV1.get("/me/devices", use: controllers.devices.list)
    memberV1.post("/me/devices", use: controllers.devices.register)
    memberV1.delete("/me/devices/{device}", use: controllers.devices.remove)
    memberV1.put("/me/password", use: controllers.credentials.changePassword)
    memberV1.put("/me/email", use: controllers.credentials.changeEmail)
    memberV1.get("/admin/jobs", use: controllers.jobs.list)
    memberV1.post("/admin/jobs/{job}/restart", use: controllers.jobs.restart)
    memberV1.delete("/admin/jobs/{job}", use: controllers.jobs.drop)
    controllers.administration.addAPIRoutes(to: memberV1)
    memberV1.get("/teams", use: controllers.teams.list)
    memberV1.get("/teams/{team}", use: controllers.teams.show)
    memberV1.patch("/teams/{team}", use: controllers.teams.change)
    memberV1.get("/teams/{team}/members", use: controllers.teamMembers.list)
    memberV1.patch("/teams/{team}/members/{user}", use: controllers.teamMembers.change)
    memberV1.delete("/teams/{team}/members/{user}", use: controllers.teamMembers.remove)
    memberV1.put("/teams/{team}/share-link", use: controllers.teams.share)
    memberV1.delete("/teams/{team}/share-link", use: controllers.teams.unshare)
    memberV1.get("/teams/{team}/reminders", use: controllers.reminders.show)
    memberV1.put("/teams/{team}/reminders", use: controllers.reminders.update)
    memberV1.post("/teams/{team}/reminders/preview", use: controllers.reminders.preview)
    memberV1.post("/teams/{team}/reminders/test", use: controllers.deliveries.testReminder)
    memberV1.get("/teams/{team}/experiments", use: controllers.experiments.list)
    memberV1.post("/teams/{team}/experiments", use: controllers.experiments.add)
    memberV1.get("/teams/{team}/experiments/{experiment}", use: controllers.experiments.show)
    memberV1.delete("/teams/{team}/experiments/{experiment}", use: controllers.experiments.end)
    memberV1.post("/teams/{team}/messages", use: controllers.deliveries.sendMessage)
    memberV1.get("/teams/{team}/deliveries", use: controllers.deliveries.list)
    memberV1.get("/deliveries", use: controllers.deliveries.listAll)
    memberV1.get("/teams/{team}/sprints", use: controllers.history.list)
    memberV1.get("/teams/{team}/sprints/{year}/{number}", use: controllers.sprints.show)
    memberV1.get("/teams/{team}/history.csv", use: controllers.history.csv)
    memberV1.get("/teams/{team}/chart.svg", use: controllers.history.chart)
    controllers.actions.addAPIRoutes(to: memberV1)
    controllers.texts.addAPIRoutes(to: memberV1)

    memberV1.get("/invitations", use: controllers.invitations.list)
    memberV1.post("/invitations", use: controllers.invitations.invite)
    memberV1.post("/invitations/import", use: controllers.invitations.importList)
    memberV1.post("/invitations/{invitation}/resend", use: controllers.invitations.resend)
    memberV1.delete("/invitations/{invitation}", use: controllers.invitations.withdraw)

    let voterV1 = v1.group().add(middleware: voter)
    voterV1.get("/teams/{team}/sprints/current", use: controllers.sprints.current)
    voterV1.get("/teams/{team}/events", use: controllers.events.events)
    controllers.operation.addAPIRoutes(to: memberV1, voter: voterV1)
    v1.group().add(
        middleware: AuthenticationMiddleware(
            authenticator: authenticator, notesUse: false, checksSession: false, browsers: browsers)
    )
    .post("/teams/{team}/sprints/{year}/{number}/ballots", use: controllers.ballots.cast)

    // The first clients' routes: paths, fields and answers stay as they are.
    router.post("/user/login", use: controllers.classicUser.logIn)
    router.get("/user/sendPasswordResetMail", use: controllers.passwordResets.requestMailClassic)
    let classicMember = router.group().add(
        middleware: AuthenticationMiddleware(authenticator: authenticator, notesUse: true))
    classicMember.get("/user/profile", use: controllers.classicUser.profile)
    classicMember.post("/user/uploadProfilePicture", use: controllers.pictures.uploadClassic)
    classicMember.post("/user/changePassword", use: controllers.classicUser.changePassword)
    classicMember.post("/user/registerDevice", use: controllers.classicDevices.register)
    classicMember.delete("/user/deleteAccount", use: controllers.classicUser.deleteAccount)
    classicMember.get("/happiness/sprints", use: controllers.classicHappiness.sprints)
    let classicVoter = router.group().add(
        middleware: AuthenticationMiddleware(authenticator: authenticator, notesUse: false))
    classicVoter.get("/happiness/hasVoted", use: controllers.classicHappiness.hasVoted)
    classicVoter.get("/happiness/currentSprint", use: controllers.classicHappiness.currentSprint)
    classicVoter.post("/happiness/track", use: controllers.classicHappiness.track)
}

/// The web app behind its log-in. Pages that show or cast a ballot note no use of the session.
private func addPages(to router: Router<AppRequestContext>, controllers: Controllers) {
    let logIn = controllers.logInPages
    router.get("/login", use: logIn.form)
    let ownForms = router.group().add(middleware: controllers.ownForms)
    ownForms.post("/login", use: logIn.logIn)
    ownForms.post("/kept-form", use: logIn.keptForms.goOn)

    let member = router.group().add(middleware: BrowserMiddleware(logIn: logIn, notesUse: true, renews: true))
    member.post("/logout", use: controllers.logInPages.logOut)
    controllers.settings.addRoutes(to: member)
    controllers.operation.addRoutes(to: member)
    controllers.administration.addRoutes(to: member)
    controllers.manage.addRoutes(to: member)
    controllers.actions.addRoutes(to: member)
    controllers.texts.addRoutes(to: member)

    let reader = router.group().add(middleware: BrowserMiddleware(logIn: logIn, notesUse: false, renews: true))
    reader.get("/", use: controllers.teamPages.start)
    reader.get("/teams/{team}", use: controllers.teamPages.live)
    reader.get("/teams/{team}/history", use: controllers.historyPages.history)
    reader.get("/teams/{team}/sprints/{year}/{number}", use: controllers.sprintPages.show)

    let voter = router.group().add(middleware: BrowserMiddleware(logIn: logIn, notesUse: false, renews: false))
    voter.get("/kept-form", use: logIn.keptForms.loggedInAgain)
    voter.get("/teams/{team}/vote", use: controllers.votePages.form)
    voter.post("/teams/{team}/vote", use: controllers.votePages.cast)
}
