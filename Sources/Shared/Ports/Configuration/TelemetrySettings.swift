import Domain
import Foundation

/// The OpenTelemetry collector that gets traces and metrics, under the
/// [names of its specification](https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
package struct TelemetrySettings: Sendable {
    /// Scheme, host, port and perhaps a path, without a trailing slash; `/v1/traces` or `/v1/metrics` follows.
    package let endpoint: String
    /// Headers of each request by name, for a collector that asks for a key.
    package let headers: [String: SecretText]
    /// How the collector names this service; `nil` for the program's own name.
    package let serviceName: String?
    /// Share of traces to record, 0...1.
    package let sampledRatio: Double

    /// Takes validated values.
    package init(
        endpoint: String, headers: [String: SecretText] = [:], serviceName: String? = nil, sampledRatio: Double = 1
    ) {
        self.endpoint = endpoint
        self.headers = headers
        self.serviceName = serviceName
        self.sampledRatio = sampledRatio
    }

    /// `nil` without an endpoint: nothing is exported.
    package init?(reader: SettingsReader) {
        // Read without an endpoint too, so that a mistake is reported now and not on the day it is set.
        let headers = reader.parsed(default: [:]) { () throws(SettingsError) in
            try Self.headers(reader.text("OTEL_EXPORTER_OTLP_HEADERS", default: "", isSecret: true))
        }
        let ratio = reader.parsed(default: 1) { () throws(SettingsError) in
            try Self.ratio(reader.text("OTEL_TRACES_SAMPLER_ARG", default: "1"))
        }
        let endpoint = reader.baseURL(
            "OTEL_EXPORTER_OTLP_ENDPOINT", default: "http://localhost:4318",
            path: .any(except: ["/v1/traces", "/v1/metrics", "/v1/logs"]))
        guard reader.optionalText("OTEL_EXPORTER_OTLP_ENDPOINT") != nil else { return nil }
        self.init(
            endpoint: endpoint, headers: headers, serviceName: reader.optionalText("OTEL_SERVICE_NAME"),
            sampledRatio: ratio)
    }

    /// The keys of these settings.
    package static let keys: Set<String> = [
        "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME", "OTEL_TRACES_SAMPLER_ARG",
    ]

    /// Those whose values are secret.
    package static let secretKeys: Set<String> = ["OTEL_EXPORTER_OTLP_HEADERS"]

    /// `name=value,name=value`, with percent-encoded values.
    private static func headers(_ text: String) throws(SettingsError) -> [String: SecretText] {
        var headers: [String: SecretText] = [:]
        for part in text.split(separator: ",") {
            let field = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            // A value with a line break could add headers of its own.
            guard field.count == 2, field[0].wholeMatch(of: /[A-Za-z0-9._\-]+/) != nil,
                let value = field[1].removingPercentEncoding, value.wholeMatch(of: /[\x20-\x7E]+/) != nil
            else {
                throw SettingsError(
                    key: "OTEL_EXPORTER_OTLP_HEADERS",
                    expectation: "name=value, several separated by commas, with percent-encoded values")
            }
            headers[field[0]] = SecretText(value)
        }
        return headers
    }

    private static func ratio(_ text: String) throws(SettingsError) -> Double {
        guard let ratio = Double(text), (0...1).contains(ratio) else {
            throw SettingsError(key: "OTEL_TRACES_SAMPLER_ARG", expectation: "a number from 0 to 1")
        }
        return ratio
    }
}
