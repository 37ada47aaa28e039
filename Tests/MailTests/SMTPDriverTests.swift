import Foundation
import Mail
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
            await #expect(throws: MailError.unavailable("the mail server does not encrypt (STARTTLS)")) {
                try await SMTPDriver(settings: SMTPSettings(url: server.url)).send(MailFixtures.message())
            }
            #expect(try server.mails().isEmpty)
            try await SMTPDriver(settings: SMTPSettings(url: server.url, tls: .off)).send(MailFixtures.message())
            #expect(try server.mails().map(\.encrypted) == [false])
        }
    }

    @Test func `An unknown certificate is not trusted`() async throws {
        try await SMTPServer.with(tls: .starttls) { server in
            let expected = MailError.unavailable("the mail server's certificate is not trusted, or TLS fails")
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
            await #expect(throws: MailError.refused("the mail server refused the log-in (535)")) {
                try await check(password: "wrong", trusting: server.certificate)
            }
            await #expect(throws: MailError.self) { try await check(password: "hush", trusting: nil) }
            let mails = try server.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test func `A wrong password ends the mail at once`() async throws {
        try await SMTPServer.with(tls: .starttls, user: "happiness:hush") { server in
            let settings = SMTPSettings(
                url: server.url, username: "happiness", password: SecretText("wrong"), caFile: server.certificate)
            await #expect(throws: MailError.refused("the mail server refused the log-in (535)")) {
                try await SMTPDriver(settings: settings).send(MailFixtures.message())
            }
        }
    }

    @Test(arguments: [
        ("reject-550", MailError.refused("the mail server refused the mail (550)")),
        ("later-451", .unavailable("the mail server asks to come back later (451)")),
    ])
    func `A reply decides the mail's fate`(recipient: String, expected: MailError) async throws {
        try await SMTPServer.with { server in
            _ = await #expect(throws: expected) {
                let message = try MailFixtures.message(to: "\(recipient)@example.com")
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
