import Domain
import Foundation
import Ports
import Push
import TestSupport
import Testing

@Suite struct WebPushDriverTests {
    @Test func `A message reaches the browser, and nobody else can read it`() async throws {
        try await WebPushFixture.with { fixture in
            let message = PushFixtures.message(body: "Wie war's? 🙂 \"Gut\"\n")
            try await fixture.send(message)
            let delivery = try #require(fixture.simulator.deliveries(to: fixture.subscription).first)
            #expect(
                delivery.object == [
                    "title": "Time to vote", "body": "Wie war's? 🙂 \"Gut\"\n",
                    "link": "https://happiness.example.org/vote", "team": message.teamID.description,
                    "sprint": "2026/23",
                ])
            #expect(delivery.timeToLive == 3 * 86_400)
            #expect(delivery.topic == "vote202623")
            #expect(delivery.urgency == "normal")
        }
    }

    @Test func `A reminder that can wait has a second button`() async throws {
        try await WebPushFixture.with { fixture in
            let later = PushMessage.Later(label: "Später", link: "https://happiness.example.org/vote/later")
            try await fixture.send(PushFixtures.message(later: later))
            let delivery = try #require(fixture.simulator.deliveries(to: fixture.subscription).first)
            #expect(delivery.object["laterLabel"] == "Später")
            #expect(delivery.object["laterLink"] == "https://happiness.example.org/vote/later")
        }
    }

    @Test func `Every reminder has the same length on the wire`() async throws {
        try await WebPushFixture.with { fixture in
            let later = PushMessage.Later(label: "Später erinnern", link: "https://happiness.example.org/vote/later")
            try await fixture.send(PushFixtures.message(later: later))
            for text in ["", "?", String(repeating: "ä", count: PushMessage.maximumBodyLength)] {
                try await fixture.send(PushFixtures.message(title: text.isEmpty ? "T" : "Titel", body: text))
            }
            let lengths = fixture.simulator.deliveries(to: fixture.subscription).map(\.length)
            #expect(lengths == [2_151, 2_151, 2_151, 2_151])
        }
    }

    @Test func `A token is used for eleven hours`() async throws {
        try await WebPushFixture.with { fixture in
            for _ in 0...12 {
                try await fixture.send(PushFixtures.message(expires: PushFixtures.date + 86_400))
                fixture.clock.advance(by: 3_600)
            }
            let tokens = fixture.simulator.deliveries(to: fixture.subscription).map(\.token)
            #expect(Set(tokens[...10]).count == 1)
            #expect(tokens[11] != tokens[10])
            #expect(tokens[12] == tokens[11])
        }
    }

    @Test func `A clock that was set back does not make a token last too long`() async throws {
        try await WebPushFixture.with { fixture in
            try await fixture.send()
            fixture.clock.advance(by: -13 * 3_600)
            try await fixture.send()
            #expect(fixture.simulator.deliveries(to: fixture.subscription).count == 2)
        }
    }

    @Test func `One token serves many tasks`() async throws {
        try await WebPushFixture.with { fixture in
            try await fixture.send()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask { try await fixture.send(PushFixtures.message(body: "\(number)")) }
                }
                try await group.waitForAll()
            }
            let deliveries = fixture.simulator.deliveries(to: fixture.subscription)
            #expect(Set(deliveries.map { $0.object["body"] }).count == 51)
            #expect(Set(deliveries.map(\.token)).count == 1)
        }
    }

    @Test func `A message lives for four weeks at most`() async throws {
        try await WebPushFixture.with { fixture in
            try await fixture.send(PushFixtures.message(expires: PushFixtures.date + 90 * 86_400))
            try await fixture.send(PushFixtures.message(expires: PushFixtures.date + 0.5))
            let times = fixture.simulator.deliveries(to: fixture.subscription).map(\.timeToLive)
            #expect(times == [2_419_200, 0])
        }
    }

    @Test func `A browser that gave up is unregistered`() async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.unsubscribe(fixture.subscription)
            await #expect(throws: PushError.unregistered()) { try await fixture.send() }
        }
    }

    @Test func `An unknown browser is unregistered`() async throws {
        try await WebPushFixture.with { fixture in
            let stranger = WebPushReceiver().subscription(endpoint: "\(fixture.simulator.origin)/push-x")
            await #expect(throws: PushError.unregistered()) {
                try await fixture.driver.send(PushFixtures.message(), to: .webPush(stranger), at: PushFixtures.date)
            }
        }
    }

    @Test func `A browser that subscribed with another key is not ours`() async throws {
        try await WebPushFixture.with { fixture in
            let other = fixture.simulator.subscribe(applicationServerKey: VAPIDKey().publicText)
            await #expect(
                throws: PushError.notOurs("the push service does not accept VAPID_PRIVATE_KEY (403)")
            ) {
                try await fixture.driver.send(PushFixtures.message(), to: .webPush(other), at: PushFixtures.date)
            }
        }
    }

    @Test(arguments: [
        (400, nil, PushError.rejected("the push service refused the message (400)")),
        (413, nil, .rejected("the push service finds the message too large (413)")),
        (401, nil, .notOurs("the push service does not accept VAPID_PRIVATE_KEY (401)")),
        (404, nil, .unregistered()), (410, nil, .unregistered()),
        (429, "17", .unavailable("the push service asks for fewer messages (429)", retryAfter: .seconds(17))),
        (
            429, "Mon, 16 Nov 2026 08:06:00 GMT",
            .unavailable("the push service asks for fewer messages (429)", retryAfter: .seconds(60))
        ),
        (500, nil, .unavailable("the push service has a problem (500)")),
        (503, "5", .unavailable("the push service has a problem (503)", retryAfter: .seconds(5))),
        (204, nil, .rejected("the push service refused the message (204)")),
    ])
    func `A refusal says how to fix it`(status: Int, retryAfter: String?, expected: PushError) async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.fail(.response(status, body: status == 204 ? "" : "words", retryAfter: retryAfter))
            await #expect(throws: expected) { try await fixture.send() }
            #expect(fixture.simulator.requests == 1)
            #expect(fixture.simulator.deliveries(to: fixture.subscription).isEmpty)
        }
    }

    @Test(arguments: [200, 202])
    func `A service that answers otherwise has accepted the message`(status: Int) async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.fail(.response(status))
            try await fixture.send()
        }
    }

    @Test func `No redirect is followed`() async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.fail(.redirect(to: "\(fixture.simulator.origin)/elsewhere"))
            await #expect(throws: PushError.rejected("the push service refused the message (307)")) {
                try await fixture.send()
            }
            #expect(fixture.simulator.requests == 1)
        }
    }

    @Test(arguments: [SimulatedFault.close, .closeMidResponse])
    func `A broken answer is tried again under the same topic`(fault: SimulatedFault) async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.fail(fault)
            await #expect(
                throws: PushError.unavailable("The push service is unreachable, or the connection was lost")
            ) { try await fixture.send() }
            try await fixture.send()
            let deliveries = fixture.simulator.deliveries(to: fixture.subscription)
            #expect(!deliveries.isEmpty)
            #expect(Set(deliveries.map(\.topic)).count == 1)
        }
    }

    @Test(arguments: [SimulatedFault.hang, .hangAfterHead])
    func `An answer that never comes ends at the deadline`(fault: SimulatedFault) async throws {
        try await WebPushFixture.with(deadline: .milliseconds(300)) { fixture in
            fixture.simulator.fail(fault)
            await #expect(throws: PushError.unavailable("The push service does not answer in time")) {
                try await fixture.send()
            }
        }
    }

    @Test func `An answer that never ends is not read to its end`() async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.fail(.response(201, body: String(repeating: "x", count: 100_000)))
            await #expect(throws: PushError.unavailable("The push service's answer is too long")) {
                try await fixture.send()
            }
        }
    }

    @Test func `A cancelled attempt says so`() async throws {
        try await WebPushFixture.with { fixture in
            fixture.simulator.fail(.hang)
            let attempt = Task { try await fixture.send() }
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
        }
    }

    @Test func `An expired message is not sent`() async throws {
        try await WebPushFixture.with { fixture in
            await #expect(throws: PushError.rejected("the message has expired")) {
                try await fixture.send(PushFixtures.message(expires: PushFixtures.date))
            }
            #expect(fixture.simulator.requests == 0)
        }
    }

    @Test func `A message longer than services must accept is not sent`() async throws {
        try await WebPushFixture.with { fixture in
            await #expect(throws: PushError.rejected("the message is too long")) {
                try await fixture.send(PushFixtures.message(body: String(repeating: "x", count: 4_000)))
            }
            #expect(fixture.simulator.requests == 0)
        }
    }

    @Test func `A service that is no longer listed gets nothing`() async throws {
        try await WebPushFixture.with(policy: .standard) { fixture in
            await #expect(throws: PushError.rejected("the push service is not among WEBPUSH_ALLOWED_HOSTS")) {
                try await fixture.send()
            }
            #expect(fixture.simulator.requests == 0)
        }
    }

    @Test func `A browser with an unusable key gets nothing`() async throws {
        try await WebPushFixture.with { fixture in
            let broken = WebPushSubscription(
                endpoint: fixture.subscription.endpoint, publicKey: [UInt8](repeating: 4, count: 65),
                authenticationSecret: fixture.subscription.authenticationSecret)
            await #expect(throws: PushError.rejected("the browser's key is no key of P-256")) {
                try await fixture.driver.send(PushFixtures.message(), to: .webPush(broken), at: PushFixtures.date)
            }
        }
    }

    @Test func `Another kind of device is refused`() async throws {
        try await WebPushFixture.with { fixture in
            await #expect(throws: PushError.rejected("the device is not a browser")) {
                try await fixture.driver.send(
                    PushFixtures.message(), to: .fcm(token: "a"), at: PushFixtures.date)
            }
        }
    }
}
