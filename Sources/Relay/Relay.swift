import ArgumentParser
import AsyncHTTPClient
import Configuration
import Hummingbird
import Logging
import Product
import ServiceLifecycle
import UnixSignals

/// `Relay`: forwards sealed ballots without being able to read them.
///
/// Another organisation than the one with the API runs it, such as a works council. The relay knows who sends, and the
/// API knows what was sent.
@main
struct Relay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Relay", abstract: "Forward sealed ballots to Happiness Metric, without being able to read them.",
        discussion: """
            The environment variable GATEWAY_URL names the installation. HOST and PORT say where to listen \
            (127.0.0.1 and 8090). Ballots are sent on together: every MIX_SECONDS (86400), once MIX_COUNT (100) of them \
            wait, and before the sprint of one of them closes. At SIGTERM and SIGINT the relay sends what waits, then ends.
            """,
        version: ProductVersion.current)

    func run() async throws {
        let settings = try RelaySettings(ConfigReader(provider: EnvironmentVariablesProvider()))
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let logger = Logger(label: "relay")
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let gateway = HTTPGateway(client: client, address: settings.gateway)
        let mix = Mix(settings: settings.mix, gateway: gateway, logger: logger)
        let application = Self.application(settings, mix: mix, gateway: gateway, logger: logger)
        let services = ServiceGroup(
            // The first one stops last: it sends what the server has taken.
            configuration: .init(
                services: [.init(service: mix), .init(service: application)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await services.run()
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// The server. Its own log would name requests, so it logs errors only.
    static func application(
        _ settings: RelaySettings, mix: Mix, gateway: any Gateway, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        var quiet = logger
        quiet.logLevel = .error
        return Application(
            router: RelayController(mix: mix, gateway: gateway).router(origin: settings.origin),
            configuration: .init(address: .hostname(settings.host, port: settings.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? settings.port
                logger.notice("Listening on http://\(settings.host):\(port), forwarding to \(settings.gateway)")
                await onRunning(port)
            },
            logger: quiet)
    }
}
