import ArgumentParser
import Hummingbird
import Logging

/// `BenchmarkSeed bare-server`: Hummingbird with one route that returns nothing, and no more: the limit for
/// every route of the API. Runs until it gets a signal.
struct BareServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-server", abstract: "Serves one empty route with Hummingbird alone.")

    @Option(help: "Port on the loopback address.")
    var port: Int

    @Argument(help: "Path of the route.")
    var path: String

    func run() async throws {
        let router = Router()
        router.get(RouterPath(path)) { _, _ in Response(status: .noContent) }
        var logger = Logger(label: "bare-server")
        logger.logLevel = .error
        try await Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        ).runService()
    }
}
