package import ArgumentParser
import AsyncHTTPClient
import Domain
import Foundation
import Logging
import Mail
import ObjectStorage
import Ports
import Product
import Push
import ServiceLifecycle
import Services
import Storage
import Telemetry

/// `Worker`: runs until it is stopped, or once.
package struct WorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "Worker", abstract: "Do the jobs: send e-mails, close sprints that are over, clean up.",
        discussion: "Runs until SIGTERM or SIGINT, then finishes or gives back what it has begun within 20 seconds.",
        version: ProductVersion.current)

    @Flag(help: "Run what’s due, then exit.")
    var once = false

    @Option(
        help: "With --once: pretend that it’s this instant, e.g. 2026-11-20T10:00:00Z.",
        transform: { try Date($0, strategy: .iso8601) })
    var now: Date?

    @Flag(help: "With --now: also start and close sprints by that instant. Closed sprints stay closed.")
    var closeSprints = false

    package init() {}

    package func validate() throws {
        guard now == nil || once else { throw ValidationError("--now needs --once.") }
        guard !closeSprints || now != nil else { throw ValidationError("--close-sprints needs --now.") }
    }

    /// The mode chosen by the options.
    var mode: WorkerMode { once ? .once(at: now, closesSprints: closeSprints) : .forever }

    package func run() async throws {
        do {
            try await work()
        } catch {
            ProgramOutput.report(Data("Error: \(OperatorMessage.text(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }

    private func work() async throws {
        TextCatalog.installLanguages()
        let settings = try await Settings.load()
        let logger = LogOutput.bootstrap(settings, label: "worker")
        try FormerSettings.warn(in: ProcessInfo.processInfo.environment, logger: logger)
        if !once, settings.workerMetricsPort != 0 {
            try ListeningCheck.require(
                host: settings.server.metricsHost, port: settings.workerMetricsPort, setting: "WORKER_METRICS_PORT")
        }
        try TemporaryFolder.sweep(dataDirectory: settings.dataDirectory)
        // Before the store is opened: missing settings can be reported without it.
        let secrets = try Secrets.load(settings)
        let stores = try settings.store.open()
        for name in try await stores.system.migrate() {
            logger.info("Migrated the store", metadata: ["migration": "\(name)"])
        }
        let clients = WorkerClients()
        let result: Result<Void, any Error>
        do {
            try await stores.system.requireSound()
            try await secrets.matchFingerprints(in: stores.system)
            if let notice = try await secrets.subaddressingNotice(in: stores.system) { logger.warning("\(notice)") }
            result = .success(
                try await work(with: stores, secrets: secrets, clients: clients, settings: settings, logger: logger))
        } catch {
            result = .failure(error)
        }
        try await clients.shutdown()
        try await stores.system.close()
        try result.get()
        logger.notice("Stopped")
    }

    private func work(
        with stores: Stores, secrets: Secrets, clients: WorkerClients, settings: Settings, logger: Logger
    ) async throws {
        let publicURL = settings.server.publicURL
        let texts = try TextCatalog(resources: .standard())
        let templates = try MailTemplates(
            directory: Resources.standard().url("templates/mail"), publicURL: publicURL, texts: texts)
        texts.warn(logger)
        for notice in templates.notices { logger.warning("Mails are missing", metadata: ["mails": "\(notice)"]) }
        let mails = MailSender(
            driver: settings.mail.driver.make(client: clients.mail) { ProgramOutput.show($0) },
            templates: templates,
            from: settings.mail.from, publicURL: publicURL, store: stores.rows,
            unsubscribing: UnsubscribeTokens(secret: secrets.jwt),
            addresses: AddressFaultService(stores: stores, secrets: secrets, clock: .system),
            limiter: MailLimiter(maximum: settings.mail.connections))
        let drivers = try settings.push.makeDrivers(
            client: clients.push, http2Client: clients.apns, vapid: secrets.vapid, logger: logger)
        let push = PushSender(drivers: drivers, rate: settings.push.rate, logger: logger)
        let mark = InstallationMark(secret: secrets.ballot)
        let objects = try await settings.objects.makeStore(client: clients.objects, logger: logger)
            .picturesAtStart(mark: mark, logger: logger)
        let bucket = settings.backups?.makeBucketStore(client: clients.objects, logger: logger)
        if let bucket {
            try await bucket.checkAtStart(of: "copies of backups", logger: logger) {
                try await mark.requireOwn(bucket: bucket)
            }
        }
        if let backups = settings.backups { try mark.requireOwn(folder: backups.folder) }
        let (system, dataDirectory) = (stores.system, settings.dataDirectory)
        let backupFolder = settings.backups.map { BackupFolder($0) }
        let metrics = PrometheusMetrics(
            help: JobProcessor.metricsHelp,
            process: {
                ProcessMetric.current()
                    + ProcessMetric.installation(system: system, dataDirectory: dataDirectory, backups: backupFolder)
            })
        let environment = WorkerEnvironment(
            stores: stores, secrets: secrets, objects: objects, mails: mails,
            texts: texts, push: push, clock: .system,
            backups: settings.backups.map { backups in
                let pictures = { (copies: any ObjectStore) in
                    PictureBackup(stores: stores, pictures: objects, copies: copies, key: backups.key)
                }
                return MakeBackup(
                    mark: mark, folder: BackupFolder(backups), system: stores.system, location: settings.store,
                    temporaries: TemporaryFolder.shared(dataDirectory: settings.dataDirectory),
                    deletions: DeletionCopies(
                        store: stores.rows, secret: secrets.ballot, folder: backups.folder, bucket: bucket),
                    bucket: bucket.map { BackupBucket(objects: $0, rule: backups.rule) },
                    folderPictures: pictures(FileObjectStore(folder: backups.pictureFolder)),
                    bucketPictures: bucket.map(pictures),
                    clock: .system, logger: logger)
            },
            feedbackDays: settings.feedbackDays, metrics: metrics,
            exporter: settings.telemetry.map {
                TelemetryExporter(
                    $0, program: "happiness-worker", metrics: metrics, client: clients.telemetry, logger: logger)
            },
            host: settings.server.metricsHost, metricsPort: settings.workerMetricsPort, logger: logger)
        logger.notice("Working", metadata: ["store": "\(stores.system.kind)", "worker.once": "\(once)"])
        try await buildWorker(environment, mode: mode).run()
    }
}
