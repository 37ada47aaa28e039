package import Crypto
import Domain
package import Foundation
import NIOHTTP1
package import Ports
import Synchronization

/// Simulates Apple's `POST /3/device/{token}` over HTTP/2 and TLS on a local port, according to the public
/// documentation (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns):
/// rejects what the real service rejects, with the same reasons, and fails on demand.
package final class APNsSimulator: Sendable {
    /// An accepted message.
    package struct Delivery: Sendable {
        /// The body as received.
        package let payload: Data
        /// `apns-*` headers by name.
        package let headers: [String: String]
        /// The provider token of the request.
        package let token: String

        /// The payload's members.
        package var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any] ?? [:]
        }
    }

    /// The simulator's data about a developer and the app.
    package struct Account: Sendable {
        /// The key's id.
        package let keyID: String
        /// The developer team's id.
        package let teamID: String
        /// The app's bundle id.
        package let topic: String
        /// The public half of the key that Apple issued.
        package let key: P256.Signing.PublicKey

        /// - Parameter topic: the app's bundle id.
        package init(keyID: String, teamID: String, topic: String, key: P256.Signing.PublicKey) {
            self.keyID = keyID
            self.teamID = teamID
            self.topic = topic
            self.key = key
        }
    }

    struct Device {
        /// When Apple learned that the app was removed; `nil` if it was not.
        var gone: Date?
        var deliveries: [Delivery] = []
    }

    /// State kept between requests.
    struct Memory {
        var faults: [SimulatedFault] = []
        var devices: [String: Device] = [:]
        var requests = 0
        /// The issue times claimed by the provider tokens, with the time of their first use. Apple does not publish
        /// what it compares; signing the same claims again creates another text but no newer token.
        var tokens: [Int: Date] = [:]
    }

    /// The certificate that clients must trust.
    package let certificate: TestCertificate
    private let account: Account
    private let clock: WallClock
    private let port = Mutex(0)
    private let memory = Mutex(Memory())

    private init(account: Account, clock: WallClock, certificate: TestCertificate) {
        self.account = account
        self.clock = clock
        self.certificate = certificate
    }

    /// Runs a simulator while the closure runs.
    package static func with<Value>(
        account: Account, clock: WallClock, isolation: isolated (any Actor)? = #isolation,
        _ body: (APNsSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = APNsSimulator(account: account, clock: clock, certificate: try await .make())
        return try await SimulatorServer.with(simulator, certificate: simulator.certificate) { port in
            simulator.port.withLock { $0 = port }
            return try await body(simulator)
        }
    }

    /// Value for `APNS_BASE_URL`.
    package var baseURL: String { "https://127.0.0.1:\(port.withLock { $0 })" }

    /// Number of requests, including rejected ones.
    package var requests: Int { memory.withLock { $0.requests } }

    /// Number of different provider tokens.
    package var tokens: Int { memory.withLock { $0.tokens.count } }

    /// Installs the app on a phone.
    /// - Returns: the device token.
    package func register() -> String {
        let token = SecureBytes.random(count: 32).hexadecimal
        memory.withLock { $0.devices[token] = Device() }
        return token
    }

    /// Uninstalls the app from a phone.
    package func unregister(_ device: String, at instant: Date) {
        memory.withLock { $0.devices[device]?.gone = instant }
    }

    /// The messages a phone received, in order; includes messages accepted by a fault whose response was lost.
    package func deliveries(to device: String) -> [Delivery] {
        memory.withLock { $0.devices[device]?.deliveries ?? [] }
    }

    /// Makes the next requests fail like this, one after the other; later ones succeed.
    package func fail(_ faults: SimulatedFault...) {
        memory.withLock { $0.faults += faults }
    }
}

extension APNsSimulator: SimulatorRules {
    func response(_ request: SimulatedRequest) -> (SimulatedResponse, SimulatedFault?) {
        let rules = APNsRules(account: account, now: clock.now)
        return memory.withLock { memory in
            memory.requests += 1
            let fault = memory.faults.isEmpty ? nil : memory.faults.removeFirst()
            if let fault, let response = fault.response { return (response, fault) }
            do throws(SimulatedResponse) {
                try rules.accept(request, memory: &memory)
                return (SimulatedResponse(status: 200, headers: ["apns-id": UUID().uuidString]), fault)
            } catch {
                return (error, fault)
            }
        }
    }
}
