import Hummingbird
import Services

/// Registering oneself with an address of a domain that the installation accepts.
struct RegistrationsFeature: Feature {
    private let pages: RegistrationPageController
    private let registrations: RegistrationController

    init(_ services: AppServices) {
        let accounts = services.environment.settings.accounts
        let service = RegistrationService(
            stores: services.stores, secrets: services.secrets, domains: accounts.registrationDomains,
            hasher: services.environment.hasher, policy: accounts.passwordPolicy, clock: services.clock)
        pages = RegistrationPageController(
            registrations: service, pages: services.pages,
            newcomers: AccountCreatedPage(pages: services.pages, browserLogins: services.browserLogins),
            clientAddress: services.clientAddress)
        registrations = RegistrationController(registrations: service, clientAddress: services.clientAddress)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.open.get("/register", use: pages.form)
        routes.ownForms.post("/register", use: pages.register)
        routes.open.get("/registration", use: pages.confirmation)
        routes.open.post("/registration", use: pages.confirm)
        routes.openAPI.post("/registrations", use: registrations.register)
        routes.openAPI.post("/registrations/resend", use: registrations.resend)
    }
}
