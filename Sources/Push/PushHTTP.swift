import AsyncHTTPClient
import Outbound
import Ports

/// Sends requests to a push service, with a deadline and a size limit for each.
struct PushHTTP: Sendable {
    /// Bytes. The services' responses have a few hundred; anything longer is not from them.
    private static let responseLimit = 64 * 1024

    private let exchange: BoundedExchange
    private let service: String

    /// - Parameters:
    ///   - deadline: from connecting to the last byte of the response.
    ///   - service: the service's name, as the subject of a sentence for operators.
    init(client: HTTPClient, deadline: Duration, service: String) {
        exchange = BoundedExchange(client: client, deadline: deadline, responseLimit: Self.responseLimit)
        self.service = service
    }

    /// - Throws: `PushError.unavailable`; `CancellationError` if the caller was cancelled.
    func send(_ request: HTTPClientRequest) async throws -> BoundedExchange.Response {
        do {
            return try await exchange.send(request)
        } catch let failure as BoundedExchange.Failure {
            // A retry may succeed, whatever it was.
            throw PushError.unavailable(failure.sentence(about: service))
        }
    }
}
