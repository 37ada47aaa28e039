import Domain
import Foundation
import Ports
import Services
import Testing

@Suite struct MailSettingsTests {
    @Test func `Without settings, mails are files in the data folder`() throws {
        let mail = try Settings(values: ["DATA_DIR": "/srv/data"]).mail
        guard case .file(let outbox) = mail.driver else {
            Issue.record("not the file driver")
            return
        }
        #expect(outbox == "/srv/data/outbox" && mail.keepsMails)
        #expect(mail.from.email.text == "happiness@localhost.invalid")
        #expect(mail.mailgunWebhookKey == nil)
    }

    @Test func `Mailgun takes its region and test mode`() throws {
        let mail = try Settings(values: [
            "MAIL_DRIVER": "mailgun", "MAIL_FROM": "Glück <glueck@example.org>", "MAILGUN_API_KEY": "key",
            "MAILGUN_DOMAIN": "mg.example.org", "MAILGUN_BASE_URL": "https://api.eu.mailgun.net/",
            "MAILGUN_TEST_MODE": "true", "MAILGUN_WEBHOOK_SIGNING_KEY": "signs",
        ]).mail
        guard case .mailgun(let mailgun) = mail.driver else {
            Issue.record("not mailgun")
            return
        }
        #expect(mailgun.baseURL == "https://api.eu.mailgun.net")
        #expect(mailgun.domain == "mg.example.org")
        #expect(mailgun.apiKey.value == "key")
        #expect(mailgun.isTestMode && !mail.keepsMails)
        #expect(mail.mailgunWebhookKey?.value == "signs")
        #expect(mail.from.name?.text == "Glück")
    }

    @Test func `SMTP requires encryption unless it is switched off`() throws {
        var values = [
            "MAIL_DRIVER": "smtp", "MAIL_FROM": "a@example.org", "SMTP_URL": "smtp://mail.example.org:587",
            "SMTP_USERNAME": "name", "SMTP_PASSWORD": "secret",
        ]
        for (setting, expected) in [(nil, SMTPSettings.TLS.required), ("required", .required), ("off", .off)] {
            values["SMTP_TLS"] = setting
            let mail = try Settings(values: values).mail
            guard case .smtp(let smtp) = mail.driver else {
                Issue.record("not smtp")
                return
            }
            #expect(smtp.tls == expected && !mail.keepsMails)
            #expect(smtp.password?.value == "secret")
        }
    }

    @Test(arguments: [
        ("https://happiness.example.org", "happiness.example.org"), ("https://a.example.:8443/mood", "a.example"),
        ("http://localhost:8080", "[127.0.0.1]"), ("https://intranet", "[127.0.0.1]"),
        ("https://my_host.example", "[127.0.0.1]"), ("http://127.0.0.1", "[127.0.0.1]"),
        ("http://192.0.2.7:8080", "[192.0.2.7]"), ("http://[::1]:8080", "[IPv6:::1]"),
    ])
    func `A mail server learns the public host's name, or an address literal`(url: String, name: String) throws {
        let mail = try Settings(values: [
            "MAIL_DRIVER": "smtp", "MAIL_FROM": "a@example.org", "SMTP_URL": "smtp://mail.example.org:587",
            "PUBLIC_URL": url,
        ]).mail
        guard case .smtp(let smtp) = mail.driver else {
            Issue.record("not smtp")
            return
        }
        #expect(smtp.clientName == name)
    }

    @Test(arguments: [
        (["MAIL_DRIVER": "pigeon"], "MAIL_DRIVER"),
        (["MAIL_FROM": "nobody"], "MAIL_FROM"),
        (["MAIL_DRIVER": "mailgun"], "MAIL_FROM"),
        (["MAIL_DRIVER": "mailgun", "MAIL_FROM": "a@example.org"], "MAILGUN_DOMAIN"),
        (["MAIL_DRIVER": "mailgun", "MAIL_FROM": "a@example.org", "MAILGUN_DOMAIN": "m.example"], "MAILGUN_API_KEY"),
        (["MAILGUN_DOMAIN": "example.org/v3"], "MAILGUN_DOMAIN"),
        (["MAILGUN_BASE_URL": "api.mailgun.net"], "MAILGUN_BASE_URL"),
        (["MAILGUN_TEST_MODE": "yes"], "MAILGUN_TEST_MODE"),
        (["MAIL_DRIVER": "smtp", "MAIL_FROM": "a@example.org"], "SMTP_URL"),
        (["SMTP_URL": "http://example.org"], "SMTP_URL"),
        (["SMTP_URL": "smtp://name:password@example.org"], "SMTP_URL"),
        (["SMTP_TLS": "maybe"], "SMTP_TLS"),
        (["SMTP_USERNAME": "name"], "SMTP_PASSWORD"),
    ])
    func `A mistake names its key`(values: [String: String], key: String) throws {
        let error = #expect(throws: SettingsError.self) { try Settings(values: values) }
        #expect(error?.key == key)
    }

    @Test func `Secrets do not show when printed`() {
        let settings = MailgunSettings(apiKey: SecretText("hush"), domain: "a.example", baseURL: "https://a.example")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings)".contains("hush"))
        #expect(!dumped.contains("hush"))
    }
}
