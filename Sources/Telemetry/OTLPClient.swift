import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Outbound
import Services

/// Posts to a collector's receiver: OTLP/HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
struct OTLPClient: Sendable {
    /// What is sent, with its place in the path.
    enum Signal: String, Sendable {
        case traces
        case metrics
    }

    private struct Late: Error {}

    /// Bytes. An answer has a few hundred.
    private static let answerLimit = 64 * 1024

    let settings: TelemetrySettings
    let client: HTTPClient
    /// From connecting to the last byte of the response.
    let deadline: Duration

    /// Sends once. Ends early if the task is cancelled.
    func post(_ body: some Encodable & Sendable, to signal: Signal) async -> OTLPAnswer {
        do {
            let request = try message(body, to: signal)
            // AsyncHTTPClient's own time-out ends with the response head, but the body can hang too.
            return try await withDeadline(deadline, orThrow: Late()) { try await exchange(request) }
        } catch is EncodingError {
            return .refused("it can’t be written as JSON")
        } catch is Late {
            return .unavailable("the collector does not answer in time", retryAfter: nil)
        } catch is NIOTooManyBytesError {
            return .refused("the collector’s answer is too long")
        } catch {
            return .unavailable("the collector cannot be reached, or its answer broke off", retryAfter: nil)
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

    private func exchange(_ request: HTTPClientRequest) async throws -> OTLPAnswer {
        // Twice the deadline, so that `withDeadline` ends first, with its own error.
        let response = try await client.execute(request, timeout: TimeAmount(deadline * 2))
        let body = try await response.body.collect(upTo: Self.answerLimit)
        return OTLPAnswer(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"),
            body: Data(body.readableBytesView), now: Date())
    }
}
