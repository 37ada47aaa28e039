import AsyncHTTPClient
import Domain
import Foundation
import Logging
import Mail
import Ports
import ServiceLifecycle
import Services
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Worker

extension MailSender {
    /// A sender with the real templates and the test's driver.
    init(driver: any MailDriver, stores: Stores) throws {
        let templates = Repository.root.appending(path: "templates/mail")
        self.init(
            driver: driver,
            templates: try MailTemplates(
                directory: templates, publicURL: Self.site, texts: TextCatalog.original),
            from: try MailAddress("Happiness Metric <happiness@example.org>"), publicURL: Self.site,
            store: stores.rows, unsubscribing: .test,
            addresses: AddressFaultService(stores: stores, secrets: .test, clock: WallClock { testStart }))
    }

    static let site = "https://happiness.example.org"
}

extension TextCatalog {
    /// The program's texts, without the store's.
    static var original: TextCatalog {
        get throws { try TextCatalog(resources: Repository.resources) }
    }
}

extension UnsubscribeTokens {
    /// Those of `Secrets.test`.
    static let test = UnsubscribeTokens(secret: Secrets.test.jwt)
}

/// For tests in which no mail is due.
struct NoMails: MailDriver {
    func send(_ message: MailMessage) async throws {
        throw MailError.rejected("no mail was expected")
    }
}

/// The complete worker with Mailgun's simulator, and functions that enqueue mails for it.
struct MailWorker {
    let stores: Stores
    let mailgun: MailgunSimulator
    let jobs: MailJobs
    private let environment: WorkerEnvironment

    /// Runs `body` with a worker on a new store.
    static func with(
        _ store: StoreUnderTest = .sqlite, apiKey: String = "key-for-tests", deadline: Duration = .seconds(30),
        _ body: (MailWorker) async throws -> Void
    ) async throws {
        try await store.withStores { stores in
            try await MailgunSimulator.with { mailgun in
                let client = HTTPClient(configuration: MailgunDriver.clientConfiguration)
                let result: Result<Void, any Error>
                do {
                    let settings = MailgunSettings(
                        apiKey: SecretText(apiKey), domain: mailgun.domain, baseURL: mailgun.baseURL)
                    let driver = MailgunDriver(
                        settings: settings, client: client, deadline: deadline, clock: WallClock { testStart })
                    result = .success(try await body(MailWorker(stores: stores, mailgun: mailgun, driver: driver)))
                } catch {
                    result = .failure(error)
                }
                try await client.shutdown()
                try result.get()
            }
        }
    }

    private init(stores: Stores, mailgun: MailgunSimulator, driver: any MailDriver) throws {
        self.stores = stores
        self.mailgun = mailgun
        jobs = MailJobs(jobs: stores.jobs, clock: WallClock { testStart })
        environment = WorkerEnvironment(
            stores: stores, secrets: .test, objects: .nowhere,
            mails: try MailSender(driver: driver, stores: stores),
            texts: try TextCatalog.original, push: .none, clock: WallClock { testStart }, checksClock: false,
            host: "127.0.0.1", metricsPort: 0,
            logger: .silent)
    }

    /// Runs all jobs due at an instant.
    func run(at instant: Date = testStart) async throws {
        try await buildWorker(environment, mode: .once(at: instant, closesSprints: true)).run()
    }

    /// Does everything a worker does with a leased mail job until it would record the job as done.
    func sendAndDie(at now: Date = testStart) async throws {
        let job = try await stores.jobs.lease(
            kinds: [MailJobKind.passwordReset.rawValue], owner: "dead", at: now, until: now + 30)
        guard let job else { return }
        let handler = SendPasswordResetMail(store: stores.rows, mails: environment.mails)
        try await handler.run(JobContext(job: job, now: now))
    }

    /// A user with a mailbox.
    func addUser(_ name: String = "Anna", locale: String = "en") async throws -> User {
        let user = User(
            name: try UserName(name), email: try EmailAddress("\(name)@example.org"), locale: locale)
        try await stores.insert(user)
        return user
    }

    /// Enqueues a job like the store does with the change that the mail is about.
    func enqueue(_ job: Job) async throws {
        #expect(try await stores.jobs.enqueue(job))
    }

    /// The only mail job.
    func mailJob() async throws -> Job? {
        let all = try await stores.jobs.list(state: nil, limit: 1_000)
        return all.first { $0.kind.hasPrefix("mail.") }
    }

    /// The tokens in the mails that Mailgun accepted.
    func mailedTokens() -> [String] {
        mailgun.mails.compactMap { mail in
            mail["text"]?.firstMatch(of: /token=([A-Za-z0-9_-]+)/).map { String($0.output.1) }
        }
    }

    /// Whether the token is valid for its purpose.
    func counts(_ token: String, _ purpose: OneTimeToken.Purpose, at now: Date = testStart) async throws -> Bool {
        try await stores.read { try $0.token(hash: OneTimeToken.hash(of: token), purpose: purpose, at: now) } != nil
    }
}
