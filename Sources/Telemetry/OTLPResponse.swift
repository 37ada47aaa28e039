import Domain
import Foundation

/// What became of a request to a collector.
enum OTLPResponse: Equatable, Sendable {
    /// The collector has everything.
    case accepted
    /// It has everything but some spans or values, or has a warning. This must not be sent again.
    case partlyAccepted(rejected: Int, message: String)
    /// It takes nothing of it. This must not be sent again.
    case rejected(String)
    /// A retry may succeed.
    case unavailable(String, retryAfter: Duration?)

    /// Judges a response by https://opentelemetry.io/docs/specs/otlp/#otlphttp-response.
    init(status: Int, retryAfter: String?, body: Data, now: Date) {
        switch status {
        case 200..<300: self = Self.success(body)
        case 429, 502, 503, 504:
            self = .unavailable(
                "the collector answered \(status)",
                retryAfter: retryAfter.flatMap { RetryAfter.duration($0, now: now) })
        default: self = .rejected("the collector answered \(status)")
        }
    }

    private static func success(_ body: Data) -> OTLPResponse {
        // Some collectors answer with an empty body.
        guard let partial = (try? JSONDecoder().decode(Body.self, from: body))?.partialSuccess else { return .accepted }
        let rejected = partial.rejectedSpans?.value ?? partial.rejectedDataPoints?.value ?? 0
        // It becomes part of a line in the log.
        let message = String((partial.errorMessage ?? "").prefix(200).map { $0.isNewline ? " " : $0 })
        return rejected == 0 && message.isEmpty ? .accepted : .partlyAccepted(rejected: rejected, message: message)
    }

    /// An `ExportTraceServiceResponse` or an `ExportMetricsServiceResponse`.
    private struct Body: Decodable {
        let partialSuccess: PartialSuccess?
    }

    private struct PartialSuccess: Decodable {
        let rejectedSpans: Count?
        let rejectedDataPoints: Count?
        let errorMessage: String?
    }

    /// A 64-bit integer, which JSON Protobuf allows as text and as a number.
    private struct Count: Decodable {
        let value: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                value = number
            } else {
                value = Int(try container.decode(String.self)) ?? 0
            }
        }
    }
}
