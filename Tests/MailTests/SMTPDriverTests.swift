import Foundation
import Mail
import Ports
import Services
import TestSupport
import Testing

/// Uses a real mail server; without one the tests fail and say how to install it.
@Suite struct SMTPDriverTests {
    @Test func `A mail arrives through STARTTLS after a log-in`() async throws {
        try await SMTPServer.with(tls: .starttls, user: "happiness:hush") { server in
            let settings = SMTPSettings(
                url: server.url, username: "happiness", password: SecretText("hush"), caFile: server.certificate)
            let message = try MailFixtures.message(
                name: "Jürgen", subject: "Grüße", html: "<p>.</p>\n", text: ".\n..\n.a\n\nGrüße\n.\n")
            try await SMTPDriver(settings: settings).send(message)
            let mail = try #require(try server.mails().first)
            #expect(mail.from == "happiness@example.org")
            #expect(mail.to == ["ada@example.com"])
            #expect(mail.encrypted)
            #expect(mail.authenticated)
            // A line with a single dot ends a mail unless it is escaped (dot-stuffing).
            #expect(try server.contents() == [Data(MIMEMessage(message).bytes)])
        }
    }

    @Test func `A mail arrives through implicit TLS`() async throws {
        try await SMTPServer.with(tls: .implicit) { server in
            let settings = SMTPSettings(url: server.url, caFile: server.certificate)
            try await SMTPDriver(settings: settings).send(MailFixtures.message())
            #expect(try server.mails().first?.encrypted == true)
        }
    }

    @Test func `Without encryption nothing is sent, unless it is switched off`() async throws {
        try await SMTPServer.with(tls: .none) { server in
            await #expect(throws: MailError.misconfigured("the mail server does not encrypt (STARTTLS)")) {
                try await SMTPDriver(settings: SMTPSettings(url: server.url)).send(MailFixtures.message())
            }
            #expect(try server.mails().isEmpty)
            try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(MailFixtures.message())
            #expect(try server.mails().map(\.encrypted) == [false])
        }
    }

    @Test func `An unknown certificate is not trusted`() async throws {
        try await SMTPServer.with(tls: .starttls) { server in
            let expected = MailError.misconfigured("the mail server's certificate is not trusted, or TLS fails")
            await #expect(throws: expected) {
                try await SMTPDriver(settings: SMTPSettings(url: server.url)).send(MailFixtures.message())
            }
            // A valid certificate for another name.
            let url = server.url.replacing("localhost", with: "127.0.0.1")
            await #expect(throws: expected) {
                let settings = SMTPSettings(url: url, caFile: server.certificate)
                try await SMTPDriver(settings: settings).send(MailFixtures.message())
            }
            let mails = try server.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test func `A check logs in and sends nothing`() async throws {
        try await SMTPServer.with(tls: .starttls, user: "happiness:hush") { server in
            func check(password: String, trusting file: String?) async throws {
                let settings = SMTPSettings(
                    url: server.url, username: "happiness", password: SecretText(password), caFile: file)
                try await SMTPDriver(settings: settings).check()
            }
            try await check(password: "hush", trusting: server.certificate)
            await #expect(throws: MailError.misconfigured("the mail server refused the log-in (535)")) {
                try await check(password: "wrong", trusting: server.certificate)
            }
            await #expect(throws: MailError.self) { try await check(password: "hush", trusting: nil) }
            let mails = try server.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test func `A wrong password is a wrong setting`() async throws {
        try await SMTPServer.with(tls: .starttls, user: "happiness:hush") { server in
            let settings = SMTPSettings(
                url: server.url, username: "happiness", password: SecretText("wrong"), caFile: server.certificate)
            await #expect(throws: MailError.misconfigured("the mail server refused the log-in (535)")) {
                try await SMTPDriver(settings: settings).send(MailFixtures.message())
            }
        }
    }

    @Test(arguments: [
        ("reject-550", MailError.undeliverable("the mail server does not take mails to the recipient (550)")),
        ("policy-550", .rejected("the mail server refused the mail (550)")),
        ("later-451", .unavailable("the mail server asks to come back later (451)")),
        ("reject-504", .misconfigured("the mail server refuses every mail from here (504)")),
        ("reject-530", .misconfigured("the mail server refuses every mail from here (530)")),
    ])
    func `A reply decides the mail's fate`(recipient: String, expected: MailError) async throws {
        try await SMTPServer.with { server in
            _ = await #expect(throws: expected) {
                let message = try MailFixtures.message(to: "\(recipient)@example.com")
                try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(message)
            }
        }
    }

    @Test func `A refused sender says nothing about the recipient`() async throws {
        try await SMTPServer.with { server in
            _ = await #expect(throws: MailError.rejected("the mail server refused the mail (550)")) {
                let message = try MailFixtures.message(from: "reject-550@example.org")
                try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(message)
            }
        }
    }

    /// The server rejects names that are not fully qualified, like Postfix with `reject_non_fqdn_helo_hostname`.
    @Test(arguments: [
        ("https://happiness.example.org/mood", "happiness.example.org"), ("http://localhost:8080", "[127.0.0.1]"),
        ("https://192.0.2.7:8443", "[192.0.2.7]"), ("https://[2001:db8::1]", "[IPv6:2001:db8::1]"),
    ])
    func `A strict server accepts our name`(publicURL: String, name: String) async throws {
        try await SMTPServer.with { server in
            let settings = SMTPSettings(
                url: server.url, tls: .off, clientName: SMTPSettings.clientName(publicURL: publicURL))
            try await SMTPDriver(settings: settings).send(MailFixtures.message())
            #expect(try server.mails().map(\.clientName) == [name])
        }
    }

    @Test func `A server that refuses our name refuses every mail`() async throws {
        for tls in [SMTPServer.TLS.none, .starttls] {
            try await SMTPServer.with(tls: tls) { server in
                let settings = SMTPSettings(
                    url: server.url + "/", tls: tls == .none ? .off : .required, caFile: server.certificate,
                    clientName: "worker-7f9c")
                let expected = MailError.misconfigured("the mail server refuses every mail from here (504)")
                await #expect(throws: expected) {
                    try await SMTPDriver(settings: settings).send(MailFixtures.message())
                }
                let mails = try server.mails()
                #expect(mails.isEmpty)
            }
        }
    }

    @Test(arguments: [
        (554, MailError.misconfigured("the mail server refuses every mail from here (554)")),
        (421, .busy("the mail server asks for fewer connections (421)")),
        (450, .unavailable("the mail server asks to come back later (450)")),
    ])
    func `A greeting may refuse every mail`(code: Int, expected: MailError) async throws {
        try await SMTPServer.with(greeting: code) { server in
            _ = await #expect(throws: expected) {
                try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(MailFixtures.message())
            }
        }
    }

    @Test func `A server that takes three connections gets every mail once`() async throws {
        try await SMTPServer.with(connections: 3) { server in
            let driver = SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off))
            let limiter = MailLimiter(maximum: 8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    let message = try MailFixtures.message(to: "member\(number)@example.com")
                    group.addTask { try await limiter.send { try await driver.send(message) } }
                }
                try await group.waitForAll()
            }
            // The server holds the first three until it has rejected a fourth.
            let recipients = try server.mails().flatMap(\.to)
            #expect(recipients.count == 40 && Set(recipients).count == 40)
            #expect(limiter.limit < 8)
        }
    }

    @Test func `A server that takes no connection ends the attempt, and one that takes all gets its limit back`() async
    {
        let limiter = MailLimiter(maximum: 2)
        await #expect(throws: MailError.busy("no")) { try await limiter.send { throw MailError.busy("no") } }
        #expect(limiter.limit == 1)
        for _ in 0..<20 { await #expect(throws: Never.self) { try await limiter.send {} } }
        #expect(limiter.limit == 2)
    }

    @Test func `A mail whose text is refused is refused alone`() async throws {
        try await SMTPServer.with { server in
            _ = await #expect(throws: MailError.rejected("the mail server refused the mail (554)")) {
                let message = try MailFixtures.message(to: "content-554@example.com")
                try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(message)
            }
        }
    }

    @Test func `A server that hangs is abandoned at the deadline`() async throws {
        try await SMTPServer.with { server in
            let driver = SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off), deadline: .milliseconds(700))
            await #expect(throws: MailError.unavailable("the mail server does not answer in time")) {
                try await driver.send(MailFixtures.message(to: "hang@example.com"))
            }
        }
    }

    @Test func `A broken connection is tried again`() async throws {
        try await SMTPServer.with { server in
            let error = await #expect(throws: MailError.self) {
                let message = try MailFixtures.message(to: "drop@example.com")
                try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(message)
            }
            #expect(error.map { JobError($0).retry } == .after(nil))
        }
    }

    @Test func `A refused connection is tried again`() async throws {
        await #expect(throws: MailError.unavailable("the mail server cannot be reached")) {
            let settings = SMTPSettings(url: "smtp://127.0.0.1:1", tls: .off)
            try await SMTPDriver(settings: settings).send(MailFixtures.message())
        }
    }

    @Test func `A cancelled mail ends soon`() async throws {
        try await SMTPServer.with { server in
            let message = try MailFixtures.message(to: "hang@example.com")
            let driver = SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off), deadline: .seconds(600))
            let attempt = Task { try await driver.send(message) }
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
        }
    }
}
