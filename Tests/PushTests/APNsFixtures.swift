import AsyncHTTPClient
import Crypto
import Domain
import Foundation
import Ports
import Push
import TestSupport

/// Apple's service with a phone, and a driver for it.
struct APNsFixture {
    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"
    static let topic = "org.example.happiness"

    let simulator: APNsSimulator
    let driver: APNsDriver
    let key: P256.Signing.PrivateKey
    let client: HTTPClient
    let clock: SettableClock
    /// The phone's token.
    let device: String

    /// Runs `body` with a fixture.
    /// - Parameter ownKey: the driver's signing key; by default the one that Apple issued.
    static func with(
        ownKey: P256.Signing.PrivateKey? = nil, topic: String = topic, deadline: Duration = .seconds(30),
        isolation: isolated (any Actor)? = #isolation, _ body: (APNsFixture) async throws -> Void
    ) async throws {
        let clock = SettableClock(PushFixtures.date)
        let key = P256.Signing.PrivateKey()
        let account = APNsSimulator.Account(keyID: keyID, teamID: teamID, topic: self.topic, key: key.publicKey)
        try await APNsSimulator.with(account: account, clock: clock.wall) { simulator in
            var configuration = APNsDriver.clientConfiguration
            configuration.tlsConfiguration = simulator.certificate.client
            try await withPushClient(configuration) { client in
                let settings = APNsSettings(
                    keyFile: "", keyID: keyID, teamID: teamID, topic: topic, baseURL: simulator.baseURL)
                let driver = APNsDriver(
                    settings: settings, key: APNsKey(id: keyID, teamID: teamID, signing: ownKey ?? key),
                    client: client, deadline: deadline)
                try await body(
                    APNsFixture(
                        simulator: simulator, driver: driver, key: key, client: client, clock: clock,
                        device: simulator.register()))
            }
        }
    }

    /// The driver of another worker with the same settings.
    func otherProcess() -> APNsDriver {
        let settings = APNsSettings(
            keyFile: "", keyID: Self.keyID, teamID: Self.teamID, topic: Self.topic, baseURL: simulator.baseURL)
        return APNsDriver(
            settings: settings, key: APNsKey(id: Self.keyID, teamID: Self.teamID, signing: key), client: client,
            deadline: .seconds(30))
    }

    /// Sends a message to the phone at the clock's time.
    func send(_ message: PushMessage = PushFixtures.message()) async throws {
        try await driver.send(message, to: .apns(token: device), at: clock.now)
    }
}
