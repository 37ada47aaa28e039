import AsyncHTTPClient
import Domain
import Foundation
import Ports
import Push
import TestSupport

/// A push service with a browser, and a driver for it.
struct WebPushFixture {
    static let subject = "mailto:happiness@example.org"

    let simulator: WebPushSimulator
    let driver: WebPushDriver
    let key: VAPIDKey
    let client: HTTPClient
    let clock: SettableClock
    /// The browser's subscription, which accepts messages signed with `key`.
    let subscription: WebPushSubscription

    /// Runs `body` with a fixture.
    static func with(
        policy: WebPushPolicy = .standard.withLoopback, deadline: Duration = .seconds(30),
        isolation: isolated (any Actor)? = #isolation, _ body: (WebPushFixture) async throws -> Void
    ) async throws {
        let clock = SettableClock(PushFixtures.date)
        try await WebPushSimulator.with(clock: clock.wall) { simulator in
            try await withPushClient(WebPushDriver.clientConfiguration) { client in
                let key = VAPIDKey()
                let driver = WebPushDriver(
                    settings: WebPushSettings(subject: subject, policy: policy), key: key, client: client,
                    deadline: deadline)
                try await body(
                    WebPushFixture(
                        simulator: simulator, driver: driver, key: key, client: client, clock: clock,
                        subscription: simulator.subscribe(applicationServerKey: key.publicText)))
            }
        }
    }

    /// Sends a message to the browser at the clock's time.
    func send(_ message: PushMessage = PushFixtures.message()) async throws {
        try await driver.send(message, to: .webPush(subscription), at: clock.now)
    }
}

/// Runs `body` with a client in a driver's configuration.
func withPushClient<Value>(
    _ configuration: HTTPClient.Configuration, isolation: isolated (any Actor)? = #isolation,
    _ body: (HTTPClient) async throws -> Value
) async throws -> Value {
    let client = HTTPClient(configuration: configuration)
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(client))
    } catch {
        result = .failure(error)
    }
    try await client.shutdown()
    return try result.get()
}
