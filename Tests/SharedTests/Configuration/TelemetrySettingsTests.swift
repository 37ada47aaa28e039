import Domain
import Ports
import Services
import Testing

/// `OTEL_…`, named as OpenTelemetry names them.
@Suite struct TelemetrySettingsTests {
    private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    private static let headers = "OTEL_EXPORTER_OTLP_HEADERS"

    @Test func `Without an endpoint, nothing is exported`() throws {
        #expect(try Settings(values: [:]).telemetry == nil)
        #expect(try Settings(values: [Self.endpoint: "", "OTEL_SERVICE_NAME": "votes"]).telemetry == nil)
    }

    @Test func `An endpoint is enough`() throws {
        let settings = try #require(try Settings(values: [Self.endpoint: "http://127.0.0.1:4318/"]).telemetry)
        #expect(settings.endpoint == "http://127.0.0.1:4318")
        #expect(settings.headers.isEmpty && settings.serviceName == nil && settings.sampledRatio == 1)
    }

    @Test func `Everything can be set, and the headers are not shown`() throws {
        let settings = try #require(
            try Settings(values: [
                Self.endpoint: "https://collector.example/otlp", "OTEL_SERVICE_NAME": "votes",
                Self.headers: "api-key=a%20b%2Cc=, tenant = 7", "OTEL_TRACES_SAMPLER_ARG": "0.25",
            ]).telemetry)
        #expect(settings.endpoint == "https://collector.example/otlp")
        #expect(settings.headers.mapValues(\.value) == ["api-key": "a b,c=", "tenant": "7"])
        #expect(settings.serviceName == "votes" && settings.sampledRatio == 0.25)
        #expect(!"\(settings)".contains("a b,c="))
    }

    /// Without an endpoint too.
    @Test(arguments: [
        (endpoint, "collector.example:4318"), (endpoint, "grpc://collector.example"),
        (endpoint, "https://user:secret@collector.example"), (headers, "the-key-alone"), (headers, "a b=secret"),
        (headers, "a=%zz"), (headers, "a=b%0D%0AX-Other:%20c"), ("OTEL_TRACES_SAMPLER_ARG", "1.01"),
        ("OTEL_TRACES_SAMPLER_ARG", "-0.1"), ("OTEL_TRACES_SAMPLER_ARG", "nan"), ("OTEL_TRACES_SAMPLER_ARG", "half"),
    ])
    func `An invalid value is refused by key and never repeated`(key: String, value: String) throws {
        let error = try #require(throws: SettingsError.self) { try Settings(values: [key: value]) }
        #expect(error.key == key)
        #expect(!error.description.contains(value))
    }
}
