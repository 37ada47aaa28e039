import ArgumentParser
import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import Metrics
import ObjectStorage
import Ports
import Product
import ServiceLifecycle
import Services
import Storage
import Telemetry
import UnixSignals

/// `HappinessAPI serve`: runs the server until it is stopped.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the API and the web app.")

    @Flag(help: "Fill a new store with a demo team and two years of invented sprints. Does nothing to any other store.")
    var demo = false

    func run() async throws {
        try await reportingFailure { try await start() }
    }

    private func start() async throws {
        let settings = try await Settings.load()
        let logger = LogOutput.bootstrap(settings, label: "api")
        try FormerSettings.warn(in: ProcessInfo.processInfo.environment, logger: logger)
        try requirePorts(settings.server)
        let isNew = settings.store.isNew
        try TemporaryFolder.sweep(dataDirectory: settings.dataDirectory)
        // Before the store is opened: missing settings can be reported without it.
        let secrets = try Secrets.load(settings)
        // Runs while the store is being opened, which is mostly waiting.
        async let files = ServerFiles(
            .standard(), publicPath: PublicPath(publicURL: settings.server.publicURL),
            keepsMails: settings.mail.keepsMails)
        let stores = try settings.store.open()
        for name in try await stores.system.migrate() {
            logger.info("Migrated the store", metadata: ["migration": "\(name)"])
        }
        try await stores.system.requireSound()
        try await secrets.matchFingerprints(in: stores.system)
        if let notice = try await secrets.recordSubaddressing(in: stores.system) { logger.warning("\(notice)") }
        let hasher = try PasswordHasher(cost: settings.accounts.bcryptCost, threads: settings.accounts.bcryptThreads)
        if demo, isNew {
            let logIn = try await DemoData.create(
                in: stores, hasher: hasher, secret: secrets.ballot, clock: .system)
            ProgramOutput.show("\(logIn)")
        }
        let (system, dataDirectory) = (stores.system, settings.dataDirectory)
        let metrics = PrometheusMetrics(process: {
            ProcessMetric.current() + ProcessMetric.installation(system: system, dataDirectory: dataDirectory)
        })
        MetricsSystem.bootstrap(metrics)
        let client = HTTPClient(configuration: S3ObjectStore.clientConfiguration)
        let telemetryClient = HTTPClient(configuration: TelemetryExporter.clientConfiguration)
        let exporter = settings.telemetry.map {
            TelemetryExporter(
                $0, program: "happiness-api", metrics: metrics, client: telemetryClient, logger: logger)
        }
        var result: Result<Void, any Error>
        do {
            let installed = try await files
            installed.texts.warn(logger)
            let pictures = try await pictures(settings, secrets, client: client, logger: logger)
            let doctor = Doctor(settings: settings, client: client)
            let parts = try AppParts(
                AppEnvironment(
                    stores: stores, secrets: secrets, settings: settings, hasher: hasher, pictures: pictures,
                    clock: .system, spans: exporter?.spans, files: installed, logger: logger,
                    healthChecks: doctor.checks(of: stores, objects: pictures.objects)))
            result = .success(
                try await serve(
                    parts, stores: stores, metrics: metrics, exporter: exporter, settings: settings.server,
                    logger: logger))
        } catch {
            result = .failure(error)
        }
        for client in [client, telemetryClient] {
            do {
                try await client.shutdown()
            } catch {
                // The server's own error says more.
                result = result.flatMap { .failure(error) }
            }
        }
        try result.get()
    }

    /// - Throws: `ObjectStoreError.misconfigured`, or a file system error.
    private func pictures(
        _ settings: Settings, _ secrets: Secrets, client: HTTPClient, logger: Logger
    ) async throws -> PictureEnvironment {
        let objects = try await settings.objects.makeStore(client: client, logger: logger)
            .picturesAtStart(mark: InstallationMark(secret: secrets.ballot), logger: logger)
        return PictureEnvironment(
            objects: objects, maker: PictureProcess(logger: logger),
            uploads: try OperatorMessage.writing(to: settings.dataDirectory, setting: "DATA_DIR") {
                try UploadFolder(dataDirectory: settings.dataDirectory, logger: logger)
            })
    }

    /// Before the store is opened, so that a second API changes nothing.
    /// - Throws: `OperatorError`.
    private func requirePorts(_ settings: ServerSettings) throws {
        if settings.socketPath == nil {
            try ListeningCheck.require(host: settings.host, port: settings.port, setting: "PORT")
        }
        if settings.metricsPort != 0 {
            try ListeningCheck.require(
                host: settings.metricsHost, port: settings.metricsPort, setting: "METRICS_PORT")
        }
    }

    /// - Throws: `OperatorError` if the folder is missing, something other than a socket is there, or another process
    ///   serves on it: binding would take the socket from it.
    private func requirePlace(forSocket path: String, _ settings: ServerSettings) async throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw OperatorError("HOST is \(path), but the folder does not exist.")
        }
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard type == nil || type == .typeSocket else {
            throw OperatorError("HOST is \(path), but that file is not a socket.")
        }
        if type != nil, (try? await HealthCommand.version(at: settings)) != nil {
            throw OperatorError("HOST is \(path), but another API serves there.")
        }
    }

    private func serve(
        _ parts: AppParts, stores: Stores, metrics: PrometheusMetrics, exporter: TelemetryExporter?,
        settings: ServerSettings, logger: Logger
    ) async throws {
        if let path = settings.socketPath { try await requirePlace(forSocket: path, settings) }
        let setup = parts.setup
        let application = buildApplication(parts, settings: settings, logger: logger) { port in
            logger.notice(
                "Serving",
                metadata: [
                    "address": "\(settings.socketPath ?? "http://\(settings.host):\(port)")",
                    "store": "\(stores.system.kind)",
                ])
            await showSetupLink(setup, publicURL: settings.publicURL, logger: logger)
        }
        let fitting = OpenFileLimit.raise(forConnections: settings.maximumConnections)
        if fitting < settings.maximumConnections {
            logger.warning(
                "The limit of open files is too low for MAX_CONNECTIONS",
                metadata: ["connections.wanted": "\(settings.maximumConnections)", "connections.fitting": "\(fitting)"])
        }
        var services: [any Service] = [application]
        // First, since services stop in reverse order: the last requests are exported too.
        if let exporter { services.insert(exporter, at: 0) }
        if settings.metricsPort != 0 {
            services.append(
                MetricsEndpoint.application(
                    metrics: metrics, host: settings.metricsHost, port: settings.metricsPort, logger: logger))
        }
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger))
        try await group.run()
        parts.ballotBox.close()
        try await stores.system.close()
        logger.notice("Stopped")
    }

    /// While there is no admin, prints the setup link to the console. It must never appear in a log.
    private func showSetupLink(_ setup: SetupService, publicURL: String, logger: Logger) async {
        do {
            guard let link = try await setup.makeLink(publicURL: publicURL) else { return }
            let command = "\(ProgramCall.current.text) setup"
            let isShown = ProgramOutput.show(
                """

                  There is no admin yet. Open this link within 24 hours to create the first one, with a team:
                    \(link)
                  A new link: \(command)

                """)
            if !isShown {
                logger.warning(
                    "There is no admin yet, and standard output cannot be written. A command prints a link",
                    metadata: ["command": "\(command)"])
            }
        } catch {
            logger.error(
                "There is no link for the first admin", metadata: ["error": "\(JobError(error).message)"])
        }
    }
}
