import Domain
import Foundation
import Ports
import Push
import TestSupport
import Testing

@Suite struct FCMDriverTests {
    @Test func `A message has a part for every platform`() async throws {
        try await FCMFixture.with { fixture in
            let message = PushFixtures.message()
            try await fixture.send(message, to: "device-1")
            let sent = try #require(fixture.fcm.messages.first)
            #expect(fixture.fcm.messages.count == 1)
            #expect(sent.token == "device-1")
            #expect(sent["notification", "title"] == "Time to vote")
            #expect(sent["notification", "body"] == "How was sprint 2026/23?")
            #expect(sent["data", "kind"] == "vote")
            #expect(sent["data", "teamID"] == message.teamID.description)
            #expect(sent["data", "sprint"] == "2026/23")
            #expect(sent["data", "link"] == "https://happiness.example.org/vote")
            #expect(sent["android", "ttl"] == "259200s")
            #expect(sent["android", "collapseKey"] == "vote202623")
            #expect(sent["android", "priority"] == "HIGH")
            #expect(sent["android", "notification", "channelId"] == "reminders")
            #expect(sent["android", "notification", "clickAction"] == "OPEN_VOTE")
            #expect(sent["android", "notification", "tag"] == "vote202623")
            #expect(sent["apns", "headers", "apns-expiration"] == "1795075500")
            #expect(sent["apns", "headers", "apns-collapse-id"] == "vote202623")
            #expect(sent["apns", "headers", "apns-priority"] == "10")
            #expect(sent["apns", "payload", "aps", "category"] == "VOTE")
            #expect(sent["apns", "payload", "aps", "sound"] == "default")
            #expect(sent["apns", "payload", "aps", "thread-id"] == message.teamID.description)
            #expect(sent["webpush", "headers", "TTL"] == "259200")
            #expect(sent["webpush", "fcmOptions", "link"] == "https://happiness.example.org/vote")
        }
    }

    /// Authors of apps have only the guide: it names every key of `data`, and what an app must declare.
    @Test func `The API guide describes what is sent`() async throws {
        let guide = try Repository.text("templates/pages/api.html")
        try await FCMFixture.with { fixture in
            try await fixture.send(PushFixtures.message(), to: "device-1")
            let sent = try #require(fixture.fcm.messages.first)
            for key in ["kind", "teamID", "sprint", "link"] {
                #expect(sent["data", key] != nil && guide.contains("<dt><code>\(key)</code></dt>"), "\(key)")
            }
            for name in ["reminders", "OPEN_VOTE", "VOTE"] {
                #expect(guide.contains("<code>\(name)</code>"), "\(name)")
            }
        }
    }

    @Test func `The largest allowed message is accepted`() async throws {
        try await FCMFixture.with { fixture in
            // Each of these takes six bytes in JSON: a backslash, a u and four digits.
            let title = String(repeating: "\u{1}", count: PushMessage.maximumTitleLength)
            let body = String(repeating: "\u{1}", count: PushMessage.maximumBodyLength)
            let link = "https://happiness.example.org/" + String(repeating: "x", count: 300)
            try await fixture.send(PushFixtures.message(title: title, body: body, link: link))
            #expect(fixture.fcm.messages.count == 1)
        }
    }

    @Test func `A link without TLS is only in the data`() async throws {
        try await FCMFixture.with { fixture in
            try await fixture.send(PushFixtures.message(link: "http://localhost:8080/vote"))
            let sent = try #require(fixture.fcm.messages.first)
            #expect(sent["data", "link"] == "http://localhost:8080/vote")
            #expect(sent["webpush", "fcmOptions", "link"] == nil)
        }
    }

    @Test func `A message is kept for four weeks at most`() async throws {
        try await FCMFixture.with { fixture in
            try await fixture.send(PushFixtures.message(expires: PushFixtures.date + 100 * 86_400))
            #expect(fixture.fcm.messages.first?["android", "ttl"] == "2419200s")
        }
    }

    @Test(arguments: [0, 0.5, -1])
    func `An expired message is not sent`(secondsLeft: TimeInterval) async throws {
        try await FCMFixture.with { fixture in
            await #expect(throws: PushError.rejected("the message has expired")) {
                try await fixture.send(PushFixtures.message(expires: PushFixtures.date + secondsLeft))
            }
            #expect(fixture.fcm.requests == 0 && fixture.tokens.requests == 0)
        }
    }

    @Test func `Another service's device is refused`() async throws {
        try await FCMFixture.with { fixture in
            await #expect(throws: PushError.rejected("not a device of FCM")) {
                try await fixture.driver.send(
                    PushFixtures.message(), to: .apns(token: "00"), at: PushFixtures.date)
            }
        }
    }

    /// The effect of each response on device and message: the table in Firebase's documentation of `ErrorCode`.
    @Test(
        arguments: [
            (.unregistered, .unregistered()),
            (
                .senderIDMismatch,
                .notOurs(
                    "FCM knows the device by another project than the service account's (403 SENDER_ID_MISMATCH)")
            ),
            (.invalidArgument(field: "message.token"), .unregistered()),
            (
                .invalidArgument(field: "message.android.ttl"),
                .rejected("FCM finds the message invalid (400 INVALID_ARGUMENT)")
            ),
            (.invalidArgument(), .rejected("FCM finds device or message invalid (400 INVALID_ARGUMENT)")),
            (
                .thirdPartyAuthenticationError,
                .misconfigured("FCM has no valid key for APNs or web push (401 THIRD_PARTY_AUTH_ERROR)")
            ),
            (
                .quotaExceeded(retryAfter: "17"),
                .unavailable("FCM asks for fewer messages (429)", retryAfter: .seconds(17))
            ),
            (.quotaExceeded(), .unavailable("FCM asks for fewer messages (429)", retryAfter: .seconds(60))),
            (
                .unavailable(retryAfter: "Mon, 16 Nov 2026 08:07:00 GMT"),
                .unavailable("FCM has a problem (503)", retryAfter: .seconds(120))
            ),
            (.unavailable(), .unavailable("FCM has a problem (503)")),
            (.internalError, .unavailable("FCM has a problem (500)")),
            (.status(502), .unavailable("FCM has a problem (502)")),
            (.status(403), .misconfigured("the service account may not send through FCM (403)")),
            (.status(404), .misconfigured("FCM does not know the project (404)")),
            (.status(302), .misconfigured("FCM_BASE_URL leads elsewhere (302)")),
            (.status(413), .rejected("FCM refused the message (413)")),
            (.status(400), .rejected("FCM finds the message invalid (400 INVALID_ARGUMENT)")),
            (.status(200), .unavailable("FCM's answer cannot be read (200)")),
            (.broken(.closeMidResponse), .unavailable("FCM is unreachable, or the connection was lost")),
        ] as [(FCMSimulator.Fault, PushError)])
    func `An answer is judged by its code, and then by its status`(
        fault: FCMSimulator.Fault, error: PushError
    ) async throws {
        try await FCMFixture.with { fixture in
            fixture.fcm.fail("device", fault)
            await #expect(throws: error) { try await fixture.send() }
            #expect(fixture.fcm.requests == 1)
            try await fixture.send()
        }
    }

    @Test func `An invalid argument is the device's fault if another accepted the same message`() async throws {
        try await FCMFixture.with { fixture in
            let message = PushFixtures.message()
            try await fixture.send(message, to: "good")
            fixture.fcm.fail("bad", .invalidArgument(), .invalidArgument())
            await #expect(throws: PushError.unregistered()) { try await fixture.send(message, to: "bad") }
            await #expect(throws: PushError.rejected("FCM finds device or message invalid (400 INVALID_ARGUMENT)")) {
                try await fixture.send(PushFixtures.message(body: "Another one"), to: "bad")
            }
        }
    }

    @Test func `An accepted message is remembered when its other language is sent in between`() async throws {
        try await FCMFixture.with { fixture in
            let versions = ["How was it?", "Wie war es?", "Well?", "Und?"].map { PushFixtures.message(body: $0) }
            for message in versions { try await fixture.send(message, to: "good") }
            for message in versions {
                fixture.fcm.fail("bad", .invalidArgument())
                await #expect(throws: PushError.unregistered()) { try await fixture.send(message, to: "bad") }
            }
        }
    }

    @Test(arguments: [SimulatorBreak.hang, .hangAfterHead])
    func `An answer that never comes ends at the deadline`(how: SimulatorBreak) async throws {
        try await FCMFixture.with(deadline: .seconds(1)) { fixture in
            fixture.fcm.fail("device", .broken(how))
            let error = await #expect(throws: PushError.self) { try await fixture.send() }
            // On a busy machine even the token may arrive too late.
            #expect(
                [
                    .unavailable("FCM does not answer in time"),
                    .unavailable("Google's token service does not answer in time"),
                ]
                .contains(error))
        }
    }

    @Test func `A cancelled attempt says so`() async throws {
        try await FCMFixture.with { fixture in
            fixture.fcm.fail("device", .broken(.hang))
            let attempt = Task { try await fixture.send() }
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
        }
    }
}
