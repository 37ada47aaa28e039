import Foundation
import NIOHTTP1
import Synchronization

/// Simulates the receiver of an OpenTelemetry collector on a local port: OTLP/HTTP with JSON
/// (https://opentelemetry.io/docs/specs/otlp/#otlphttp). It rejects what is not as this specification says, and fails
/// on demand.
package final class OTLPCollector: Sendable {
    private struct State {
        var faults: [SimulatedFault] = []
        /// Accepted bodies by path, in the order received.
        var bodies: [String: [JSONValue]] = [:]
        var rejections: [String] = []
        var requests = 0
    }

    /// Headers that every request must have.
    private let headers: [String: String]
    private let port = Mutex(0)
    private let state = Mutex(State())

    private init(headers: [String: String]) {
        self.headers = headers
    }

    /// Runs a collector while the closure runs.
    /// - Parameter headers: must be in every request.
    package static func with<Value>(
        headers: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
        _ body: (OTLPCollector) async throws -> Value
    ) async throws -> Value {
        let collector = OTLPCollector(headers: headers)
        return try await SimulatorServer.with(collector) { port in
            collector.port.withLock { $0 = port }
            return try await body(collector)
        }
    }

    /// Value for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    package var baseURL: String { "http://127.0.0.1:\(port.withLock { $0 })" }

    /// Number of requests, including rejected ones.
    package var requests: Int { state.withLock { $0.requests } }

    /// Why requests were rejected.
    package var rejections: [String] { state.withLock { $0.rejections } }

    /// All spans, in the order received; includes those whose response was lost by a fault.
    package var spans: [JSONValue] { items("traces", "resourceSpans", "scopeSpans", "spans") }

    /// All metrics, in the order received.
    package var metrics: [JSONValue] { items("metrics", "resourceMetrics", "scopeMetrics", "metrics") }

    /// The attributes of the processes that sent spans, one for each request.
    package var resources: [JSONValue] {
        state.withLock { $0.bodies["/v1/traces"] ?? [] }
            .flatMap { $0["resourceSpans"]?.elements ?? [] }.compactMap { $0["resource"]?["attributes"] }
    }

    /// Makes the next requests fail like this, one after the other; later ones succeed.
    package func fail(_ faults: SimulatedFault...) {
        state.withLock { $0.faults += faults }
    }

    private func items(_ signal: String, _ resources: String, _ scopes: String, _ items: String) -> [JSONValue] {
        state.withLock { $0.bodies["/v1/\(signal)"] ?? [] }
            .flatMap { $0[resources]?.elements ?? [] }
            .flatMap { $0[scopes]?.elements ?? [] }
            .flatMap { $0[items]?.elements ?? [] }
    }
}

extension OTLPCollector: SimulatorRules {
    func response(_ request: SimulatedRequest) -> (SimulatedResponse, SimulatedFault?) {
        state.withLock { state in
            state.requests += 1
            let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
            if let fault, let response = fault.response { return (response, fault) }
            do throws(SimulatedResponse) {
                state.bodies[request.path, default: []].append(try accept(request))
                return (
                    SimulatedResponse(status: 200, headers: ["Content-Type": "application/json"], body: "{}"), fault
                )
            } catch {
                state.rejections.append(error.body)
                return (error, fault)
            }
        }
    }

    private func accept(_ request: SimulatedRequest) throws(SimulatedResponse) -> JSONValue {
        guard request.method == "POST" else { throw SimulatedResponse(status: 405, body: request.method) }
        let shapes: [String: OTLPShape] = ["/v1/traces": .traces, "/v1/metrics": .metrics]
        guard let shape = shapes[request.path] else { throw SimulatedResponse(status: 404, body: request.path) }
        for (name, value) in headers where request.header(name) != value {
            throw SimulatedResponse(status: 401, body: name)
        }
        guard request.header("Content-Type") == "application/json" else {
            throw SimulatedResponse(status: 415, body: "Content-Type")
        }
        guard let body = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body)) else {
            throw SimulatedResponse(status: 400, body: "no JSON")
        }
        if let fault = shape.fault(in: body, at: "body") { throw SimulatedResponse(status: 400, body: fault) }
        return body
    }
}
