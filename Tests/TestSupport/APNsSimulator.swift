public import Crypto
public import Foundation
import NIOHTTP1
public import Shared
import Synchronization

/// Apple's `POST /3/device/{token}` over HTTP/2 and TLS on a port of this machine, as its public documentation
/// describes it (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns):
/// it refuses what the real one refuses, with its words, and fails on demand.
public final class APNsSimulator: Sendable {
    /// A message it took.
    public struct Delivery: Sendable {
        /// The body as it came.
        public let payload: Data
        /// `apns-*` headers by name.
        public let headers: [String: String]
        /// The provider token it came with.
        public let token: String

        /// The payload's members.
        public var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any] ?? [:]
        }
    }

    /// What it knows of a developer and the app.
    public struct Account: Sendable {
        /// The key's id.
        public let keyID: String
        /// The developer team's id.
        public let teamID: String
        /// The app's bundle id.
        public let topic: String
        /// The public half of the key it gave out.
        public let key: P256.Signing.PublicKey

        /// An account from its parts.
        public init(keyID: String, teamID: String, topic: String, key: P256.Signing.PublicKey) {
            self.keyID = keyID
            self.teamID = teamID
            self.topic = topic
            self.key = key
        }
    }

    struct Device {
        /// When Apple learned that it is gone; `nil` while it is there.
        var gone: Date?
        var deliveries: [Delivery] = []
    }

    /// What it remembers between requests.
    struct Memory {
        var faults: [SimulatedFault] = []
        var devices: [String: Device] = [:]
        var requests = 0
        /// When the provider tokens it has seen say that they were issued, with the instants they came first. Apple does
        /// not publish what it compares; signing the same claims again makes another text and no younger token.
        var tokens: [Int: Date] = [:]
    }

    /// What clients have to believe.
    public let certificate: TestCertificate
    private let account: Account
    private let clock: WallClock
    private let port = Mutex(0)
    private let memory = Mutex(Memory())

    private init(account: Account, clock: WallClock, certificate: TestCertificate) {
        self.account = account
        self.clock = clock
        self.certificate = certificate
    }

    /// Starts one, lends it, ends it.
    public static func with<Value>(
        account: Account, clock: WallClock, isolation: isolated (any Actor)? = #isolation,
        _ body: (APNsSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = APNsSimulator(account: account, clock: clock, certificate: try await .make())
        return try await SimulatorServer.with(simulator, certificate: simulator.certificate) { port in
            simulator.port.withLock { $0 = port }
            return try await body(simulator)
        }
    }

    /// What `APNS_BASE_URL` points to.
    public var baseURL: String { "https://127.0.0.1:\(port.withLock { $0 })" }

    /// How many requests came in, refused ones included.
    public var requests: Int { memory.withLock { $0.requests } }

    /// How many provider tokens it has seen.
    public var tokens: Int { memory.withLock { $0.tokens.count } }

    /// A phone gets the app.
    /// - Returns: its token.
    public func register() -> String {
        let token = SecureBytes.random(count: 32).hexadecimal
        memory.withLock { $0.devices[token] = Device() }
        return token
    }

    /// A phone loses the app.
    public func unregister(_ device: String, at instant: Date) {
        memory.withLock { $0.devices[device]?.gone = instant }
    }

    /// What a phone got, in order; with a fault that takes the message, also what nobody was told of.
    public func deliveries(to device: String) -> [Delivery] {
        memory.withLock { $0.devices[device]?.deliveries ?? [] }
    }

    /// The next requests go wrong like this, one after the other; those after them go well.
    public func fail(_ faults: SimulatedFault...) {
        memory.withLock { $0.faults += faults }
    }
}

extension APNsSimulator: SimulatorRules {
    func answer(_ request: SimulatedRequest) -> (SimulatedAnswer, SimulatedFault?) {
        let rules = APNsRules(account: account, now: clock.now)
        return memory.withLock { memory in
            memory.requests += 1
            let fault = memory.faults.isEmpty ? nil : memory.faults.removeFirst()
            if let fault, let answer = fault.answer { return (answer, fault) }
            do throws(SimulatedAnswer) {
                try rules.accept(request, memory: &memory)
                return (SimulatedAnswer(status: 200, headers: ["apns-id": UUID().uuidString]), fault)
            } catch {
                return (error, fault)
            }
        }
    }
}
