import Domain
import Foundation
import Ports
import Push
import TestSupport
import Testing

/// How the FCM driver gets access tokens, and how long it keeps them.
@Suite struct GoogleAccessTokenTests {
    @Test func `Many messages at once take one token`() async throws {
        try await FCMFixture.with { fixture in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 { group.addTask { try await fixture.send(to: "device-\(number)") } }
                try await group.waitForAll()
            }
            #expect(fixture.tokens.requests == 1)
            #expect(fixture.fcm.messages.count == 50)
        }
    }

    @Test func `A token is renewed five minutes before it ends`() async throws {
        try await FCMFixture.with { fixture in
            let message = PushFixtures.message()
            try await fixture.send(message)
            fixture.clock.advance(by: TimeInterval(GoogleTokenSimulator.tokenLife - 301))
            try await fixture.send(message)
            #expect(fixture.tokens.requests == 1)
            fixture.clock.advance(by: 1)
            try await fixture.send(message)
            #expect(fixture.tokens.requests == 2)
        }
    }

    @Test func `An old token is used as long as it cannot be renewed`() async throws {
        try await FCMFixture.with { fixture in
            let message = PushFixtures.message()
            try await fixture.send(message)
            fixture.clock.advance(by: TimeInterval(GoogleTokenSimulator.tokenLife - 10))
            fixture.tokens.fail(.status(503))
            try await fixture.send(message)
            try await fixture.send(message)
            #expect(fixture.tokens.requests == 2, "a failure is not repeated for each message")
            fixture.clock.advance(by: 10)
            try await fixture.send(message)
            #expect(fixture.tokens.requests == 3)
        }
    }

    @Test func `A refused token is renewed once for all, and the message is sent again`() async throws {
        try await FCMFixture.with { fixture in
            try await fixture.send()
            fixture.tokens.revokeTokens()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 { group.addTask { try await fixture.send(to: "device-\(number)") } }
                try await group.waitForAll()
            }
            #expect(fixture.tokens.requests == 2)
            #expect(fixture.fcm.messages.count == 21)
        }
    }

    @Test func `A new token that is refused as well ends the attempt`() async throws {
        try await FCMFixture.with { fixture in
            fixture.fcm.fail("device", .unauthenticated, .unauthenticated)
            await #expect(throws: PushError.misconfigured("FCM does not take the service account's token (401)")) {
                try await fixture.send()
            }
            #expect(fixture.fcm.requests == 2 && fixture.tokens.requests == 2)
        }
    }

    @Test(
        arguments: [
            (
                .status(400, body: #"{"error":"invalid_grant","error_description":"secret"}"#),
                .misconfigured(
                    "Google gives this service account no token (400): invalid_grant; "
                        + "are key file and this machine's clock right?")
            ),
            (
                .status(401, body: #"{"error":"invalid_client"}"#),
                .misconfigured("Google gives this service account no token (401): invalid_client")
            ),
            (
                .status(400, body: #"{"error":"something with a secret"}"#),
                .misconfigured("Google gives this service account no token (400)")
            ),
            (
                .status(429, retryAfter: "5"),
                .unavailable("Google's token service has a problem (429)", retryAfter: .seconds(5))
            ),
            (.status(500), .unavailable("Google's token service has a problem (500)")),
            (.status(200), .unavailable("Google's token service gave an answer that cannot be read (200)")),
            (
                .broken(.closeMidResponse),
                .unavailable("Google's token service is unreachable, or the connection was lost")
            ),
        ] as [(GoogleTokenSimulator.Fault, PushError)])
    func `Without a token, nothing is sent`(fault: GoogleTokenSimulator.Fault, error: PushError) async throws {
        try await FCMFixture.with { fixture in
            fixture.tokens.fail(fault)
            await #expect(throws: error) { try await fixture.send() }
            await #expect(throws: error) { try await fixture.send() }
            #expect(fixture.tokens.requests == 1 && fixture.fcm.requests == 0)
            fixture.clock.advance(by: 10)
            try await fixture.send()
            #expect(fixture.fcm.messages.count == 1)
        }
    }

    @Test func `A token server that hangs ends at the deadline`() async throws {
        try await FCMFixture.with(deadline: .seconds(1)) { fixture in
            fixture.tokens.fail(.broken(.hang))
            await #expect(throws: PushError.unavailable("Google's token service does not answer in time")) {
                try await fixture.send()
            }
        }
    }

    /// A worker that is asked to stop has one second for it.
    @Test(.timeLimit(.minutes(1)))
    func `A cancelled wait for a token ends at once and harms no other wait`() async throws {
        try await FCMFixture.with(deadline: .seconds(600)) { fixture in
            fixture.tokens.fail(.broken(.hang))
            try await withThrowingTaskGroup(of: Void.self) { group in
                let cancelled = Task { try await fixture.send() }
                while fixture.tokens.requests == 0 { await Task.yield() }
                // It gets a token whether it already waits by then or comes a little later.
                group.addTask { try await fixture.send(to: "other") }
                cancelled.cancel()
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                try await group.waitForAll()
            }
            #expect(fixture.fcm.messages.map(\.token) == ["other"])
            #expect(fixture.tokens.requests == 2)
        }
    }

    @Test func `A wrong clock is named as a reason`() async throws {
        try await FCMFixture.with { fixture in
            let yesterday = PushFixtures.date - 86_400
            let error = await #expect(throws: PushError.self) {
                try await fixture.driver.send(PushFixtures.message(), to: .fcm(token: "device"), at: yesterday)
            }
            guard case .misconfigured(let reason) = error else {
                Issue.record("not a matter of settings: \(String(describing: error))")
                return
            }
            #expect(reason.contains("clock"))
        }
    }
}
