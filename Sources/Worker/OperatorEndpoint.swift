import Domain
import Hummingbird
import Logging
import Ports
import Services
import Storage

/// Serves metrics and health on a separate port, which must only be reachable in the operator's network.
enum OperatorEndpoint {
    /// `GET /metrics` in Prometheus' text format, `GET /health/live` (the process responds) and `GET /health/ready`
    /// (503 unless the store takes writes too and the clock agrees with other clocks).
    static func application(
        metrics: PrometheusMetrics, system: any SystemStore, check: ClockCheck?, host: String, port: Int,
        logger: Logger
    ) -> some ApplicationProtocol {
        let router = Router()
        router.get("/metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusMetrics.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.render())))
        }
        router.get("/health/live") { _, _ in
            text("ok\n", status: .ok)
        }
        router.get("/health/ready") { _, _ in
            do {
                try await system.ping()
                try await check?.requireNoDifference()
                return text("ok\n", status: .ok)
            } catch let error as AppError where error == .clockDoubtful {
                return text("The clock differs from the others.\n", status: .serviceUnavailable)
            } catch {
                logger.debug("Store cannot be read and written", metadata: ["error": "\(JobError(error).message)"])
                return text("The store cannot be read and written.\n", status: .serviceUnavailable)
            }
        }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            logger: logger.forServerFramework)
    }

    private static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
