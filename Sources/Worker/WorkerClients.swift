import AsyncHTTPClient
import Mail
import ObjectStorage
import Push
import Telemetry

/// The worker's HTTP clients. Mail services, push services, object stores and collectors need different connection
/// settings.
struct WorkerClients: Sendable {
    /// For mail APIs.
    let mail = HTTPClient(configuration: MailgunDriver.clientConfiguration)
    /// For push services with HTTP/1.1.
    let push = HTTPClient(configuration: FCMDriver.clientConfiguration)
    /// For Apple's push service, with HTTP/2.
    let apns = HTTPClient(configuration: APNsDriver.clientConfiguration)
    /// For an object store.
    let objects = HTTPClient(configuration: S3ObjectStore.clientConfiguration)
    /// For a collector of traces and metrics.
    let telemetry = HTTPClient(configuration: TelemetryExporter.clientConfiguration)

    /// Shuts down all clients, even if one fails.
    /// - Throws: the last error.
    func shutdown() async throws {
        var failure: (any Error)?
        for client in [mail, push, apns, objects, telemetry] {
            do {
                try await client.shutdown()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
