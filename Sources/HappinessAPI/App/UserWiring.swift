import Domain
import Services
import Storage

/// The services about people and their logins that several features use. Only the wiring sees this type.
struct UserWiring {
    /// Runs beside the server.
    let revocations: RevocationFeed
    let memberships: MembershipCache
    let invitations: InvitationService
    let logins: LoginService
    let accounts: AccountService
    /// Where browsers send our cookies.
    let cookies: CookieScope
    let browsers: BrowserSessions
    let browserLogins: BrowserLogins
    let pictureLinks: PictureLinks
    let clientAddress: ClientAddress

    /// - Throws: an error of the password hash that unknown accounts are compared with.
    init(_ environment: AppEnvironment) throws {
        let stores = environment.stores
        let secrets = environment.secrets
        let settings = environment.settings
        let clock = environment.clock
        revocations = RevocationFeed(store: stores.rows, clock: clock)
        memberships = MembershipCache(store: stores.rows, revocations: revocations, clock: clock)
        invitations = InvitationService(
            stores: stores, secret: secrets.ballot, hasher: environment.hasher,
            policy: settings.accounts.passwordPolicy, clock: clock)
        logins = try LoginService(
            stores: stores, secrets: secrets, hasher: environment.hasher, settings: settings.accounts,
            memberships: memberships, clock: clock)
        accounts = AccountService(
            stores: stores, secrets: secrets, hasher: environment.hasher, authenticator: logins.authenticator,
            memberships: memberships, clock: clock)
        cookies = CookieScope(publicURL: settings.server.publicURL)
        browsers = BrowserSessions(
            cookie: BrowserCookie(scope: cookies), formTokens: FormTokens(secret: secrets.jwt),
            authenticator: logins.authenticator)
        browserLogins = BrowserLogins(
            cookie: browsers.cookie, logins: logins, accounts: accounts, logger: environment.logger)
        pictureLinks = PictureLinks(
            objects: environment.pictures.objects, secrets: secrets, publicURL: settings.server.publicURL, clock: clock)
        clientAddress = ClientAddress(trustedProxies: settings.server.trustedProxies)
    }
}
