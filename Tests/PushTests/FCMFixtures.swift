import AsyncHTTPClient
import Domain
import Foundation
import Ports
import Push
import TestSupport

/// Simulators of Firebase and Google's token server, and a driver for them.
struct FCMFixture: Sendable {
    let tokens: GoogleTokenSimulator
    let fcm: FCMSimulator
    let driver: FCMDriver
    let client: HTTPClient
    let clock: SettableClock

    /// Sends a message to the device with this token, at the clock's time.
    func send(_ message: PushMessage = PushFixtures.message(), to token: String = "device") async throws {
        try await driver.send(message, to: .fcm(token: token), at: clock.now)
    }

    static func with(
        deadline: Duration = .seconds(60), _ body: @escaping @Sendable (FCMFixture) async throws -> Void
    ) async throws {
        let clock = SettableClock(PushFixtures.date)
        try await GoogleTokenSimulator.with(clock: clock.wall) { tokens in
            try await FCMSimulator.with(tokens: tokens) { fcm in
                try await withClient { client in
                    let driver = try await driver(
                        account: try tokens.account.file(tokenURL: tokens.url), baseURL: fcm.baseURL, client: client,
                        deadline: deadline)
                    try await body(
                        FCMFixture(tokens: tokens, fcm: fcm, driver: driver, client: client, clock: clock))
                }
            }
        }
    }

    /// A driver for an account's file.
    static func driver(
        account file: Data, baseURL: String, client: HTTPClient, deadline: Duration = .seconds(60)
    ) async throws -> FCMDriver {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("account.json")
            try file.write(to: URL(filePath: path))
            return try FCMDriver(
                settings: FCMSettings(serviceAccountFile: path, baseURL: baseURL), client: client, deadline: deadline)
        }
    }

    /// Runs `body` with a client in the worker's configuration.
    static func withClient(_ body: @Sendable (HTTPClient) async throws -> Void) async throws {
        let client = HTTPClient(configuration: FCMDriver.clientConfiguration)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        try result.get()
    }
}
