import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import Telemetry

/// The collector of these tests rejects what the specification does not allow.
@Suite struct OTLPCollectorTests {
    private static let span =
        #"{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","name":"GET /health","kind":2,"#
        + #""startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"a","value":{"intValue":"1"}}]}"#

    private static func traces(_ span: String) -> String {
        #"{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":"#
            + #"[{"scope":{"name":"a","version":"1"},"spans":[\#(span)]}]}]}"#
    }

    @Test(arguments: [
        ("", "", 200), (#""kind":2"#, #""kind":"SPAN_KIND_SERVER""#, 400), (#""kind":2"#, #""kind":9"#, 400),
        (#""traceId""#, #""trace_id""#, 400), ("4736", "473", 400), ("00f067aa0ba902b7", "0000000000000000", 400),
        (#""startTimeUnixNano":"1""#, #""startTimeUnixNano":1"#, 400), (#""1"}}"#, "1}}", 400),
        ("intValue", "int_value", 400), (#"{"intValue":"1"}"#, #"{"intValue":"1","stringValue":"1"}"#, 400),
        (#""kind":2"#, #""kind":2,"userName":"anna""#, 400), (#""kind":2,"#, "", 400),
    ])
    func `A malformed span is rejected`(part: String, replacement: String, status: UInt) async throws {
        let span = part.isEmpty ? Self.span : Self.span.replacing(part, with: replacement)
        try await OTLPCollector.with { collector in
            let response = try await Self.post(Self.traces(span), to: "\(collector.baseURL)/v1/traces")
            #expect(response == status)
            #expect(collector.spans.count == (status == 200 ? 1 : 0))
            #expect(collector.rejections.count == (status == 200 ? 0 : 1))
        }
    }

    @Test func `Other paths, types, keys and empty requests are rejected`() async throws {
        try await OTLPCollector.with(headers: ["api-key": "right"]) { collector in
            let url = "\(collector.baseURL)/v1/traces"
            let (json, key) = ("application/json", ["api-key": "right"])
            let good = Self.traces(Self.span)
            for (body, url, type, headers, status) in [
                (good, url, json, key, 200), (Self.traces(""), url, json, key, 400), ("no JSON", url, json, key, 400),
                (good, url, json, ["api-key": "wrong"], 401), (good, url, "text/plain", key, 415),
                (good, "\(url)/", json, key, 404),
            ] {
                let response = try await Self.post(body, to: url, type: type, headers: headers)
                #expect(response == status)
            }
        }
    }

    /// - Returns: the status.
    private static func post(
        _ body: String, to url: String, type: String = "application/json", headers: [String: String] = [:]
    ) async throws -> UInt {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: type)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(Data(body.utf8))
        let client = HTTPClient(configuration: TelemetryExporter.clientConfiguration)
        let result: Result<UInt, any Error>
        do {
            result = .success(try await client.execute(request, timeout: .seconds(30)).status.code)
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }
}
