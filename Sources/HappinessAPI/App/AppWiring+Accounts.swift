import Domain
import Ports
import Services
import Storage

/// Accounts, logins, invitations and pictures.
extension AppWiring {
    func setup() -> SetupService {
        SetupService(
            stores: stores, hasher: environment.hasher, secret: secrets.ballot,
            policy: settings.accounts.passwordPolicy, clock: clock)
    }

    func accounts(setup: SetupService) -> AccountsFeature {
        let hasher = environment.hasher
        let policy = settings.accounts.passwordPolicy
        let authenticator = users.logins.authenticator
        let mails = MailJobs(jobs: stores.jobs, clock: clock)
        let resets = PasswordResetService(
            stores: stores, secrets: secrets, mails: mails, hasher: hasher, passwordPolicy: policy,
            authenticator: authenticator, clock: clock)
        let passwords = PasswordChangeService(
            stores: stores, secrets: secrets, mails: mails, hasher: hasher, passwordPolicy: policy,
            authenticator: authenticator, clock: clock)
        let confirmation = PasswordConfirmation(stores: stores, secrets: secrets, hasher: hasher, clock: clock)
        return AccountsFeature(
            pages: pages, setup: setup, accounts: users.accounts, teams: teams.teams, passwords: passwords,
            passwordPolicy: policy, resets: resets,
            emails: EmailChangeService(
                stores: stores, secrets: secrets, mails: mails, confirmation: confirmation, clock: clock),
            people: UserAdministrationService(
                stores: stores, accounts: users.accounts, passwordResets: resets, authenticator: authenticator,
                confirmation: confirmation, mails: mails, secret: secrets.ballot, clock: clock),
            addresses: AddressFaultService(stores: stores, secrets: secrets, clock: clock),
            mailgunKey: settings.mail.mailgunWebhookKey, logins: users.logins, browserLogins: users.browserLogins,
            cookies: users.cookies, clientAddress: users.clientAddress, pictures: users.pictureLinks,
            answers: answers)
    }

    func signOnProviders() -> [SingleSignOnProvider] {
        settings.openID.providers.map {
            SingleSignOnProvider($0, publicURL: publicURL, clock: clock, logger: environment.logger)
        }
    }

    func singleSignOn(_ providers: [SingleSignOnProvider]) -> SingleSignOnFeature {
        SingleSignOnFeature(
            pages: pages.renderer, providers: providers,
            users: SingleSignOnService(stores: stores, secrets: secrets, clock: clock),
            codes: LoginCodes(stores: stores, clock: clock), logins: users.logins,
            browserLogins: users.browserLogins,
            cookie: SingleSignOnCookie(sealed: SealedText(secret: secrets.jwt, for: .signOn), scope: users.cookies),
            clock: clock)
    }

    func sessions(
        votePages: VotePageController, setup: SetupService, providers: [SingleSignOnProvider]
    ) -> SessionsFeature {
        SessionsFeature(
            pages: pages, logins: users.logins, browsers: users.browsers, browserLogins: users.browserLogins,
            savedForms: FormSealer(
                sealed: SealedText(secret: secrets.jwt, for: .keptForm), formTokens: users.browsers.formTokens),
            votePages: votePages, setup: setup, providers: providers,
            takesRegistrations: settings.accounts.registrationDomains.isOpen, clientAddress: users.clientAddress,
            clock: clock)
    }

    func invitations() -> InvitationsFeature {
        InvitationsFeature(
            pages: pages, invitations: users.invitations, teams: teams.teams, browserLogins: users.browserLogins,
            answers: answers)
    }

    func registrations() -> RegistrationsFeature {
        RegistrationsFeature(
            pages: pages.renderer,
            registrations: RegistrationService(
                stores: stores, secrets: secrets, domains: settings.accounts.registrationDomains,
                hasher: environment.hasher, policy: settings.accounts.passwordPolicy, clock: clock),
            browserLogins: users.browserLogins, clientAddress: users.clientAddress, answers: answers)
    }

    /// - Throws: an error of the file system if the default pictures are missing.
    func pictures() throws -> PicturesFeature {
        let objects = environment.pictures.objects
        let maker = environment.pictures.maker
        return PicturesFeature(
            pages: pages, accounts: users.accounts,
            pictures: PictureService(
                stores: stores, objects: objects, maker: maker, secrets: secrets, clock: clock,
                logger: environment.logger),
            removals: PictureRemovalService(stores: stores, secret: secrets.ballot, clock: clock),
            links: users.pictureLinks, uploads: environment.pictures.uploads, objects: objects,
            defaults: try DefaultPictureCache(maker: maker, resources: environment.files.resources, clock: clock),
            clock: clock)
    }
}
