import Crypto
import Domain
import Foundation
import Ports
import Push
import TestSupport
import Testing

@Suite struct APNsDriverTests {
    @Test func `A message reaches the phone`() async throws {
        try await APNsFixture.with { fixture in
            let message = PushFixtures.message(body: "Wie war's? 🙂")
            try await fixture.send(message)
            let delivery = try #require(fixture.simulator.deliveries(to: fixture.device).first)
            let team = message.teamID.description
            #expect(
                String(decoding: delivery.payload, as: UTF8.self) == """
                    {"aps":{"alert":{"body":"Wie war's? 🙂","title":"Time to vote"},"category":"VOTE",\
                    "sound":"default","thread-id":"\(team)"},"kind":"vote",\
                    "link":"https://happiness.example.org/vote","sprint":"2026/23","team":"\(team)","teamID":"\(team)"}
                    """)
            #expect(
                delivery.headers == [
                    "apns-topic": "org.example.happiness", "apns-push-type": "alert", "apns-priority": "10",
                    "apns-expiration": "1795075500", "apns-collapse-id": "vote202623",
                ])
        }
    }

    @Test func `A token is used for forty minutes`() async throws {
        try await APNsFixture.with { fixture in
            for _ in 0..<9 {
                try await fixture.send()
                fixture.clock.advance(by: 10 * 60)
            }
            let tokens = fixture.simulator.deliveries(to: fixture.device).map(\.token)
            #expect(Set(tokens[..<4]).count == 1)
            #expect(Set(tokens[4..<8]).count == 1)
            #expect(Set(tokens).count == 3)
        }
    }

    @Test func `Many tasks create one token`() async throws {
        try await APNsFixture.with { fixture in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask { try await fixture.send(PushFixtures.message(body: "\(number)")) }
                }
                try await group.waitForAll()
            }
            #expect(fixture.simulator.deliveries(to: fixture.device).count == 100)
            #expect(fixture.simulator.tokens == 1)
        }
    }

    /// Several workers, or one that a timer restarts each minute.
    @Test func `Processes with one key sign the same claims`() async throws {
        try await APNsFixture.with { fixture in
            for minutes in [0.0, 7, 12, 26] {
                fixture.clock.now = PushFixtures.date + minutes * 60
                try await fixture.otherProcess().send(
                    PushFixtures.message(), to: .apns(token: fixture.device), at: fixture.clock.now)
            }
            #expect(fixture.simulator.deliveries(to: fixture.device).count == 4)
            #expect(fixture.simulator.tokens == 1)
        }
    }

    @Test func `A token is not from the future even if this clock is minutes fast`() async throws {
        try await APNsFixture.with { fixture in
            for minutes in 0..<80 {
                let ownTime = PushFixtures.date + Double(minutes) * 60
                fixture.clock.now = ownTime - 4 * 60
                try await fixture.driver.send(PushFixtures.message(), to: .apns(token: fixture.device), at: ownTime)
            }
        }
    }

    @Test func `A token that Apple calls expired is replaced once`() async throws {
        try await APNsFixture.with { fixture in
            try await fixture.send()
            fixture.clock.advance(by: 25 * 60)
            fixture.simulator.fail(Self.rejection(403, "ExpiredProviderToken"))
            try await fixture.send()
            #expect(fixture.simulator.requests == 3)
            #expect(fixture.simulator.tokens == 2)
            fixture.clock.advance(by: 25 * 60)
            fixture.simulator.fail(
                Self.rejection(403, "ExpiredProviderToken"), Self.rejection(403, "ExpiredProviderToken"))
            await #expect(throws: PushError.self) { try await fixture.send() }
            #expect(fixture.simulator.requests == 5)
        }
    }

    @Test func `A token is not replaced within twenty minutes`() async throws {
        try await APNsFixture.with { fixture in
            try await fixture.send()
            // It was five minutes old when its use began.
            fixture.clock.advance(by: 14 * 60)
            fixture.simulator.fail(Self.rejection(403, "ExpiredProviderToken"))
            await #expect(
                throws: PushError.misconfigured(
                    "APNs finds a new token expired: is this machine's clock right? (403 ExpiredProviderToken)")
            ) { try await fixture.send() }
            try await fixture.send()
            #expect(fixture.simulator.tokens == 1)
        }
    }

    @Test func `Tasks that meet an expired token share the next one`() async throws {
        try await APNsFixture.with { fixture in
            try await fixture.send()
            fixture.clock.advance(by: 25 * 60)
            fixture.simulator.fail(
                Self.rejection(403, "ExpiredProviderToken"), Self.rejection(403, "ExpiredProviderToken"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await fixture.send() } }
                try await group.waitForAll()
            }
            #expect(fixture.simulator.tokens == 2)
        }
    }

    @Test func `A phone without the app is unregistered from the given time`() async throws {
        try await APNsFixture.with { fixture in
            let gone = PushFixtures.date - 86_400
            fixture.simulator.unregister(fixture.device, at: gone)
            await #expect(throws: PushError.unregistered(since: gone)) { try await fixture.send() }
        }
    }

    @Test(arguments: ["xyz", "", "a/b", "../3"])
    func `An invalid token is unregistered`(token: String) async throws {
        try await APNsFixture.with { fixture in
            await #expect(throws: PushError.unregistered()) {
                try await fixture.driver.send(PushFixtures.message(), to: .apns(token: token), at: PushFixtures.date)
            }
        }
    }

    /// The same holds for every phone if the host belongs to another environment.
    @Test(arguments: ["abc", "ABC"]) func `A token that is nobody's is not ours`(token: String) async throws {
        try await APNsFixture.with { fixture in
            await #expect(
                throws: PushError.notOurs(
                    "APNs knows no such device: is APNS_BASE_URL the one of the app's build? (400 BadDeviceToken)")
            ) {
                try await fixture.driver.send(PushFixtures.message(), to: .apns(token: token), at: PushFixtures.date)
            }
        }
    }

    @Test func `The topic of another app is not ours`() async throws {
        try await APNsFixture.with(topic: "org.example.other") { fixture in
            await #expect(
                throws: PushError.notOurs(
                    "APNs knows the device by another app than APNS_TOPIC (400 DeviceTokenNotForTopic)")
            ) { try await fixture.send() }
        }
    }

    @Test func `A key that is not Apple's is a mistake in the settings`() async throws {
        try await APNsFixture.with(ownKey: P256.Signing.PrivateKey()) { fixture in
            await #expect(
                throws: PushError.misconfigured(
                    "APNs does not accept the key, its id or the team's (403 InvalidProviderToken)")
            ) { try await fixture.send() }
        }
    }

    @Test(arguments: [
        (
            rejection(400, "TopicDisallowed"),
            PushError.misconfigured("APNs does not take APNS_TOPIC (400 TopicDisallowed)")
        ),
        (rejection(400, "BadCollapseId"), .rejected("APNs refused the message (400 BadCollapseId)")),
        (rejection(400, "some words"), .rejected("APNs refused the message (400)")),
        (.response(400), .rejected("APNs refused the message (400)")),
        (
            rejection(403, "Forbidden"),
            .misconfigured("APNs does not accept the key, its id or the team's (403 Forbidden)")
        ),
        (.response(410), .unregistered()), (rejection(410, "ExpiredToken"), .unregistered()),
        (rejection(413, "PayloadTooLarge"), .rejected("APNs refused the message (413 PayloadTooLarge)")),
        (rejection(429, "TooManyRequests"), .unavailable("APNs asks for fewer messages (429 TooManyRequests)")),
        (
            .response(429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#, retryAfter: "60"),
            .unavailable("APNs asks for fewer messages (429 TooManyProviderTokenUpdates)", retryAfter: .seconds(60))
        ),
        (rejection(500, "InternalServerError"), .unavailable("APNs has a problem (500 InternalServerError)")),
        (rejection(503, "Shutdown"), .unavailable("APNs has a problem (503 Shutdown)")),
        (.redirect(to: "https://127.0.0.1:1/"), .rejected("APNs refused the message (307)")),
    ])
    func `A refusal says how to fix it`(fault: SimulatedFault, expected: PushError) async throws {
        try await APNsFixture.with { fixture in
            fixture.simulator.fail(fault)
            await #expect(throws: expected) { try await fixture.send() }
            #expect(fixture.simulator.requests == 1)
        }
    }

    @Test(arguments: [SimulatedFault.close, .closeMidResponse])
    func `A broken answer is tried again under the same key`(fault: SimulatedFault) async throws {
        try await APNsFixture.with { fixture in
            fixture.simulator.fail(fault)
            let broken = PushError.unavailable("APNs is unreachable, or the connection was lost")
            await #expect(throws: broken) { try await fixture.send() }
            // The client may send another request on the connection before it notices that it is closed.
            var isSent = false
            for _ in 0..<10 where !isSent {
                do {
                    try await fixture.send()
                    isSent = true
                } catch {
                    #expect(error as? PushError == broken)
                }
            }
            #expect(isSent)
            let deliveries = fixture.simulator.deliveries(to: fixture.device)
            #expect(!deliveries.isEmpty)
            #expect(Set(deliveries.map { $0.headers["apns-collapse-id"] }).count == 1)
        }
    }

    @Test(arguments: [SimulatedFault.hang, .hangAfterHead])
    func `An answer that never comes ends at the deadline`(fault: SimulatedFault) async throws {
        try await APNsFixture.with(deadline: .milliseconds(500)) { fixture in
            fixture.simulator.fail(fault)
            await #expect(throws: PushError.unavailable("APNs does not answer in time")) { try await fixture.send() }
        }
    }

    @Test func `An expired message is not sent`() async throws {
        try await APNsFixture.with { fixture in
            await #expect(throws: PushError.rejected("the message has expired")) {
                try await fixture.send(PushFixtures.message(expires: PushFixtures.date))
            }
            #expect(fixture.simulator.requests == 0)
        }
    }

    @Test func `A message that is too long is not sent`() async throws {
        try await APNsFixture.with { fixture in
            await #expect(throws: PushError.rejected("the message is too long")) {
                try await fixture.send(PushFixtures.message(body: String(repeating: "x", count: 4_000)))
            }
            #expect(fixture.simulator.requests == 0)
        }
    }

    @Test func `Another kind of device is refused`() async throws {
        try await APNsFixture.with { fixture in
            await #expect(throws: PushError.rejected("the device is not one of Apple's")) {
                try await fixture.driver.send(PushFixtures.message(), to: .fcm(token: "a"), at: PushFixtures.date)
            }
        }
    }

    private static func rejection(_ status: Int, _ reason: String) -> SimulatedFault {
        .response(status, body: #"{"reason":"\#(reason)"}"#)
    }
}
