package import Domain
import Foundation
import NIOHTTP1
package import Ports
import Synchronization

/// A browsers' push service (RFC 8030) on a local port, and the browsers behind it: it rejects what the RFCs reject,
/// fails on demand, and decrypts what it accepts.
package final class WebPushSimulator: Sendable {
    /// An accepted message as the browser sees it.
    package struct Delivery: Sendable {
        /// The decrypted text, or the reason why it cannot be decrypted.
        package let text: Result<[UInt8], any Error>
        /// Bytes on the wire.
        package let length: Int
        /// `TTL`, seconds.
        package let timeToLive: Int
        /// `Topic`.
        package let topic: String?
        /// `Urgency`; `normal` without the header (RFC 8030 §5.3).
        package let urgency: String
        /// The token of the request.
        package let token: String

        /// The members of the text's JSON object; empty if it is none.
        package var object: [String: String] {
            guard case .success(let text) = text else { return [:] }
            return (try? JSONDecoder().decode([String: String].self, from: Data(text))) ?? [:]
        }
    }

    struct Browser {
        let receiver: WebPushReceiver
        /// The public key of the only server that may send.
        let applicationServerKey: String
        var isSubscribed = true
        var deliveries: [Delivery] = []
    }

    private struct State {
        var faults: [SimulatedFault] = []
        var browsers: [String: Browser] = [:]
        var requests = 0
    }

    private let clock: WallClock
    private let port = Mutex(0)
    private let state = Mutex(State())

    private init(clock: WallClock) {
        self.clock = clock
    }

    /// Runs a simulator while the closure runs.
    package static func with<Value>(
        clock: WallClock, isolation: isolated (any Actor)? = #isolation,
        _ body: (WebPushSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = WebPushSimulator(clock: clock)
        return try await SimulatorServer.with(simulator) { port in
            simulator.port.withLock { $0 = port }
            return try await body(simulator)
        }
    }

    /// Scheme, host and port: the audience of tokens.
    package var origin: String { "http://127.0.0.1:\(port.withLock { $0 })" }

    /// Number of requests, including rejected ones.
    package var requests: Int { state.withLock { $0.requests } }

    /// Subscribes a new browser.
    /// - Parameter applicationServerKey: as a page passes it to `PushManager.subscribe`.
    package func subscribe(applicationServerKey: String) -> WebPushSubscription {
        let id = SecureBytes.random(count: 16).hexadecimal
        let browser = Browser(receiver: WebPushReceiver(), applicationServerKey: applicationServerKey)
        state.withLock { $0.browsers[id] = browser }
        return browser.receiver.subscription(endpoint: "\(origin)/push/\(id)")
    }

    /// Cancels a browser's subscription.
    package func unsubscribe(_ subscription: WebPushSubscription) {
        state.withLock { $0.browsers[Self.id(subscription)]?.isSubscribed = false }
    }

    /// The messages a browser received, in order; includes messages whose response was lost by a fault.
    package func deliveries(to subscription: WebPushSubscription) -> [Delivery] {
        state.withLock { $0.browsers[Self.id(subscription)]?.deliveries ?? [] }
    }

    /// Makes the next requests fail like this, one after the other; later ones succeed.
    package func fail(_ faults: SimulatedFault...) {
        state.withLock { $0.faults += faults }
    }

    private static func id(_ subscription: WebPushSubscription) -> String {
        subscription.endpoint.split(separator: "/").last.map(String.init) ?? ""
    }
}

extension WebPushSimulator: SimulatorRules {
    func response(_ request: SimulatedRequest) -> (SimulatedResponse, SimulatedFault?) {
        let rules = WebPushRules(origin: origin, now: clock.now)
        return state.withLock { state in
            state.requests += 1
            let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
            if let fault, let response = fault.response { return (response, fault) }
            let id = request.path.hasPrefix("/push/") ? String(request.path.dropFirst(6)) : ""
            do throws(SimulatedResponse) {
                let delivery = try rules.accept(request, for: state.browsers[id])
                state.browsers[id]?.deliveries.append(delivery)
                // The message's resource (RFC 8030 §5), and how long it is kept (§5.2).
                let headers: HTTPHeaders = [
                    "Location": "\(origin)/message/\(UUID())", "TTL": "\(delivery.timeToLive)",
                ]
                return (SimulatedResponse(status: 201, headers: headers), fault)
            } catch {
                return (error, fault)
            }
        }
    }
}
