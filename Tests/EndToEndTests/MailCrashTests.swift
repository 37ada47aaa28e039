import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// Mails of the real programs with Mailgun's simulator, while processes die.
@Suite(.serialized) struct MailCrashTests {
    private static let password = "nine blue kettles"

    /// Mailgun accepts the mail but never responds; the worker is killed while it waits. Another one sends the mail
    /// again.
    @Test(arguments: Installation.Store.allCases)
    func `A worker is killed in the middle of a mail`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            try await MailgunSimulator.with { mailgun in
                try await installation.withStores { stores in
                    let user = User(
                        name: try UserName("Anna"), email: try EmailAddress("anna-\(UUID().uuidString)@example.org"))
                    try await stores.insert(user)
                    let (api, url) = try await installation.serve()
                    let asked = try await HTTPProbe.post(
                        "\(url)/api/v1/auth/password-reset", json: #"{"email":"\#(user.email)"}"#)
                    #expect(asked.status == 202)

                    mailgun.fail(.hang)
                    let settings = installation.settings.merging(Self.mailgun(mailgun)) { $1 }
                    let worker = try await ServerProcess.launch(
                        .worker, settings: settings, in: installation.directory)
                    try await eventually("the mail is on its way", within: .seconds(30)) { mailgun.requests == 1 }
                    try await worker.kill()

                    // By then the lease of the killed worker has expired.
                    let later = (Date() + 120).formatted(.iso8601)
                    let second = try await ServerProcess.run(
                        .worker, ["--once", "--now", later], settings: settings, in: installation.directory)
                    #expect(second.status == 0, "\(second.log)")
                    let mails = mailgun.mails.filter { $0["to"]?.contains(user.email) == true }
                    #expect(mails.count == 2)
                    #expect(Set(mails.map { $0["h:Message-Id"] }).count == 1)
                    #expect(!second.log.contains(user.email) && !second.output.contains("token="))

                    let links = mails.compactMap { mail in
                        mail["text"]?.firstMatch(
                            of: /https:\/\/happiness\.example\.org\/user\/resetPassword\?token=([A-Za-z0-9_-]{43})/
                        ).map { String($0.output.1) }
                    }
                    #expect(Set(links).count == 2)
                    // The first link is still valid, and using it invalidates the second.
                    for (link, status) in zip(links, [204, 422]) {
                        let response = try await HTTPProbe.post(
                            "\(url)/api/v1/auth/password-reset/confirm",
                            json: #"{"token":"\#(link)","password":"\#(Self.password)"}"#)
                        #expect(response.status == status)
                    }
                    let logIn = try await HTTPProbe.post(
                        "\(url)/api/v1/auth/login",
                        json: #"{"username":"\#(user.email)","password":"\#(Self.password)"}"#)
                    #expect(logIn.status == 200)
                    #expect(!api.log.contains(user.email))
                    try await api.kill()
                }
            }
        }
    }

    private static func mailgun(_ simulator: MailgunSimulator) -> [String: String] {
        [
            "PUBLIC_URL": "https://happiness.example.org", "MAIL_DRIVER": "mailgun",
            "MAIL_FROM": "Happiness Metric <happiness@example.org>",
            "MAILGUN_BASE_URL": simulator.baseURL, "MAILGUN_DOMAIN": simulator.domain,
            "MAILGUN_API_KEY": simulator.apiKey,
        ]
    }
}
