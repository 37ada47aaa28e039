import Hummingbird
import Logging
import Ports
import Services

/// Serves metrics on a separate port, which must only be reachable in the operator's network.
enum MetricsEndpoint {
    /// `GET /metrics` in Prometheus' text format.
    static func application(
        metrics: PrometheusMetrics, host: String, port: Int, logger: Logger
    ) -> some ApplicationProtocol {
        let router = Router()
        router.get("/metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusMetrics.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.render())))
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            logger: logger.forServerFramework)
    }
}
