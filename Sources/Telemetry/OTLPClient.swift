import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Outbound
import Ports

/// Posts to a collector's receiver: OTLP/HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
struct OTLPClient: Sendable {
    /// What is sent, with its place in the path.
    enum Signal: String, Sendable {
        case traces
        case metrics
    }

    /// Bytes. An answer has a few hundred.
    private static let responseLimit = 64 * 1024

    let settings: TelemetrySettings
    private let exchange: BoundedExchange

    /// - Parameter deadline: from connecting to the last byte of the response.
    init(settings: TelemetrySettings, client: HTTPClient, deadline: Duration) {
        self.settings = settings
        exchange = BoundedExchange(client: client, deadline: deadline, responseLimit: Self.responseLimit)
    }

    /// Sends once. Ends early if the task is cancelled.
    func post(_ body: some Encodable & Sendable, to signal: Signal) async -> OTLPResponse {
        do {
            let response = try await exchange.send(try message(body, to: signal))
            return OTLPResponse(
                status: response.status, retryAfter: response.headers.first(name: "Retry-After"), body: response.body,
                now: Date())
        } catch is EncodingError {
            return .rejected("it cannot be written as JSON")
        } catch BoundedExchange.Failure.tooLong {
            return .rejected("the collector’s answer is too long")
        } catch let failure as BoundedExchange.Failure {
            return .unavailable(failure.sentence(about: "the collector"), retryAfter: nil)
        } catch {
            return .unavailable("the request was cancelled", retryAfter: nil)
        }
    }

    private func message(_ body: some Encodable, to signal: Signal) throws -> HTTPClientRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // As in https://protobuf.dev/programming-guides/json/.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        var request = HTTPClientRequest(url: "\(settings.endpoint)/v1/\(signal.rawValue)")
        request.method = .POST
        for (name, value) in settings.headers { request.headers.replaceOrAdd(name: name, value: value.value) }
        request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        request.body = .bytes(try encoder.encode(body))
        return request
    }
}
