import Foundation
import Logging
import Mail
import Ports
import Services
import TestSupport
import Testing

@Suite struct MailgunDriverTests {
    /// Runs `body` with a simulator and a driver for it.
    private func withMailgun(
        apiKey: String = "key-for-tests", domain: String = "mg.example.org", isTestMode: Bool = false,
        deadline: Duration = .seconds(30), _ body: (MailgunSimulator, MailgunDriver) async throws -> Void
    ) async throws {
        try await MailgunSimulator.with { simulator in
            try await MailFixtures.withClient { client in
                let settings = MailgunSettings(
                    apiKey: SecretText(apiKey), domain: domain, baseURL: simulator.baseURL, isTestMode: isTestMode)
                let clock = WallClock { MailFixtures.date }
                try await body(
                    simulator, MailgunDriver(settings: settings, client: client, deadline: deadline, clock: clock))
            }
        }
    }

    @Test func `A mail is queued without tracking`() async throws {
        try await withMailgun { simulator, driver in
            try await driver.send(
                MailFixtures.message(
                    name: "Jürgen, der Große", subject: "Passwort zurücksetzen & mehr", html: "<p>ü</p>", text: "ü=1\n")
            )
            let mail = try #require(simulator.mails.first)
            #expect(mail["from"] == "Happiness Metric <happiness@example.org>")
            #expect(mail["to"] == "=?UTF-8?B?SsO8cmdlbiwgZGVyIEdyb8OfZQ==?= <ada@example.com>")
            #expect(mail["subject"] == "Passwort zurücksetzen & mehr")
            #expect(mail["text"] == "ü=1\n")
            #expect(mail["html"] == "<p>ü</p>")
            #expect(mail["o:tracking"] == "no")
            #expect(mail["o:tracking-clicks"] == "no")
            #expect(mail["o:tracking-opens"] == "no")
            #expect(mail["o:testmode"] == nil)
            #expect(mail["h:Auto-Submitted"] == "auto-generated" && mail["h:X-Auto-Response-Suppress"] == "All")
            #expect(mail["h:List-Unsubscribe"] == nil && mail["v:address-code"] == nil)
            #expect(mail["h:Message-Id"] == "<0123456789abcdef0123456789abcdef@example.org>")
        }
    }

    @Test func `Mailgun gets the headers that end mails of a kind`() async throws {
        try await withMailgun { simulator, driver in
            try await driver.send(MailFixtures.message(unsubscribe: "https://x.example/unsubscribe?token=results.a.b"))
            let mail = try #require(simulator.mails.first)
            #expect(mail["h:List-Unsubscribe"] == "<https://x.example/unsubscribe?token=results.a.b>")
            #expect(mail["h:List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
        }
    }

    @Test func `Test mode is a switch`() async throws {
        try await withMailgun(isTestMode: true) { simulator, driver in
            try await driver.send(MailFixtures.message())
            #expect(simulator.mails.first?["o:testmode"] == "yes")
        }
    }

    @Test func `A wrong key is a wrong setting`() async throws {
        try await withMailgun(apiKey: "another") { simulator, driver in
            await #expect(throws: MailError.misconfigured("Mailgun does not know the API key (401)")) {
                try await driver.send(MailFixtures.message())
            }
            #expect(simulator.requests == 1)
        }
    }

    @Test func `An unknown domain, or another region, is a wrong setting`() async throws {
        try await withMailgun(domain: "other.example.org") { _, driver in
            let expected = MailError.misconfigured("Mailgun does not know the domain, or not in this region (404)")
            await #expect(throws: expected) { try await driver.send(MailFixtures.message()) }
        }
    }

    @Test(arguments: [301, 307, 401, 402, 403, 404])
    func `What fails for every mail is tried again until it is corrected`(status: Int) async throws {
        try await withMailgun { simulator, driver in
            simulator.fail(.status(status))
            let error = await #expect(throws: MailError.self) { try await driver.send(MailFixtures.message()) }
            let job = try #require(error.map { JobError($0) })
            #expect(job.retry == .after(nil) && job.level == .error)
            #expect(job.message.hasPrefix("settings: ") && job.message.contains("\(status)"))
            try await driver.send(MailFixtures.message())
            #expect(simulator.mails.count == 1)
        }
    }

    @Test func `A mail carries the code of its recipient's address`() async throws {
        try await withMailgun { simulator, driver in
            try await driver.send(MailFixtures.message(addressCode: "q83vEjRW"))
            #expect(simulator.mails.first?["v:address-code"] == "q83vEjRW")
        }
    }

    @Test func `An address that Mailgun finds not valid is the recipient's fault`() async throws {
        try await withMailgun { simulator, driver in
            simulator.fail(.refuseRecipient)
            await #expect(throws: MailError.undeliverable("Mailgun refused the recipient's address (400)")) {
                try await driver.send(MailFixtures.message())
            }
        }
    }

    @Test(arguments: [400, 413])
    func `A refusal is permanent`(status: Int) async throws {
        try await withMailgun { simulator, driver in
            simulator.fail(.status(status))
            let error = await #expect(throws: MailError.self) { try await driver.send(MailFixtures.message()) }
            let job = try #require(error.map { JobError($0) })
            #expect(job.retry == .never)
            #expect(job.message.contains("\(status)"))
            #expect(simulator.mails.isEmpty)
        }
    }

    @Test(arguments: [
        (429, "17", Duration.seconds(17)), (429, "Sat, 21 Nov 2026 00:30:52 GMT", .seconds(121)), (429, nil, nil),
        (429, "soon", nil), (500, nil, nil), (502, nil, nil), (503, "3", .seconds(3)),
    ])
    func `A busy Mailgun is asked again later`(status: Int, header: String?, wait: Duration?) async throws {
        try await withMailgun { simulator, driver in
            simulator.fail(.status(status, retryAfter: header))
            let error = await #expect(throws: MailError.self) { try await driver.send(MailFixtures.message()) }
            #expect(error.map { JobError($0).retry } == .after(wait))
            try await driver.send(MailFixtures.message())
            #expect(simulator.mails.count == 1)
        }
    }

    @Test(arguments: [MailgunSimulator.Fault.close, .closeMidResponse])
    func `A broken answer is tried again under the same message ID`(fault: MailgunSimulator.Fault) async throws {
        try await withMailgun { simulator, driver in
            simulator.fail(fault)
            await #expect(throws: MailError.unavailable("Mailgun is unreachable, or the connection was lost")) {
                try await driver.send(MailFixtures.message())
            }
            try await driver.send(MailFixtures.message())
            #expect(!simulator.mails.isEmpty)
            #expect(Set(simulator.mails.map { $0["h:Message-Id"] }).count == 1)
        }
    }

    @Test(arguments: [MailgunSimulator.Fault.hang, .hangAfterHead])
    func `An answer that never comes ends at the deadline`(fault: MailgunSimulator.Fault) async throws {
        try await withMailgun(deadline: .milliseconds(300)) { simulator, driver in
            simulator.fail(fault)
            let error = await #expect(throws: MailError.self) { try await driver.send(MailFixtures.message()) }
            #expect(error.map { JobError($0).retry } == .after(nil))
        }
    }

    @Test func `A refused connection is tried again`() async throws {
        try await MailFixtures.withClient { client in
            let settings = MailgunSettings(
                apiKey: SecretText("k"), domain: "mg.example.org", baseURL: "http://127.0.0.1:1")
            let driver = MailgunDriver(settings: settings, client: client)
            await #expect(throws: MailError.unavailable("Mailgun is unreachable, or the connection was lost")) {
                try await driver.send(MailFixtures.message())
            }
        }
    }

    @Test func `A cancelled attempt says so`() async throws {
        try await withMailgun { simulator, driver in
            simulator.fail(.hang)
            let message = try MailFixtures.message()
            let attempt = Task { try await driver.send(message) }
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
        }
    }
}
