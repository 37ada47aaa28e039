import Hummingbird
import Services

/// Registering oneself with an address of a domain that the installation accepts.
struct RegistrationsFeature: Feature {
    private let pages: RegistrationPageController
    private let registrations: RegistrationController

    init(
        pages: PageRenderer, registrations: RegistrationService, browserLogins: BrowserLogins,
        clientAddress: ClientAddress, answers: AnswerLanguage
    ) {
        self.pages = RegistrationPageController(
            registrations: registrations, pages: pages,
            newcomers: AccountCreatedPage(pages: pages, browserLogins: browserLogins), clientAddress: clientAddress)
        self.registrations = RegistrationController(
            registrations: registrations, clientAddress: clientAddress, answers: answers)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/register", use: pages.form)
        routes.ownForms.post("/register", use: pages.register)
        routes.ownForms.post("/register/again", use: pages.resend)
        routes.open.get("/registration", use: pages.confirmation)
        routes.open.post("/registration", use: pages.confirm)
        routes.openAPI.post("/registrations", use: registrations.register)
        routes.openAPI.post("/registrations/resend", use: registrations.resend)
    }
}
