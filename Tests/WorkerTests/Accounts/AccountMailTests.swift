import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The mails about accounts: their content and recipients, and when none is sent.
@Suite struct AccountMailTests {
    @Test(arguments: StoreUnderTest.all)
    func `A reset mail brings a valid link`(store: StoreUnderTest) async throws {
        try await MailWorker.with(store) { worker in
            let user = try await worker.addUser(locale: "de")
            try await worker.jobs.passwordReset(of: user.id)
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(worker.mailgun.mails.count == 1)
            #expect(mail["to"] == "Anna@example.org")
            #expect(mail["subject"] == "Happiness-Metric-Passwort zurücksetzen")
            #expect(mail["h:List-Unsubscribe"] == nil, "mails about the account are always sent")
            let token = try #require(worker.mailedTokens().first)
            #expect(mail["html"]?.contains("\(MailSender.site)/user/resetPassword?token=\(token)") == true)
            #expect(try await worker.counts(token, .passwordReset))
            let kept = try await worker.stores.read {
                try $0.token(hash: OneTimeToken.hash(of: token), purpose: .passwordReset, at: testStart)
            }
            #expect(kept?.subject == "\(user.id)")
            #expect(kept?.email == user.email)
            #expect(kept?.expires == testStart + 3_600)
            #expect(try await worker.mailJob()?.state == .done)
        }
    }

    @Test func `The job carries neither token nor address`() async throws {
        try await MailWorker.with { worker in
            let user = try await worker.addUser()
            try await worker.jobs.passwordReset(of: user.id)
            try await worker.run()
            let job = try #require(try await worker.mailJob())
            #expect(job.payload == #"{"userID":"\#(user.id)"}"#)
            #expect(job.dedupeKey == nil)
        }
    }

    @Test func `A changed password is reported without a secret`() async throws {
        try await MailWorker.with { worker in
            try await worker.enqueue(worker.jobs.passwordChanged(of: try await worker.addUser().id))
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["to"] == "Anna@example.org")
            #expect(mail["text"]?.contains("\(MailSender.site)/forgot-password") == true)
            #expect(mail["text"]?.contains("token") == false)
        }
    }

    @Test func `A test mail goes to the one who sent it, in their language`() async throws {
        try await MailWorker.with { worker in
            try await worker.enqueue(worker.jobs.test(to: try await worker.addUser(locale: "de").id))
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["to"] == "Anna@example.org" && mail["subject"] == "Testmail von Happiness Metric")
            #expect(try await worker.mailJob()?.state == .done)
        }
    }

    @Test func `A linked identity is reported with the provider's name and without a link`() async throws {
        try await MailWorker.with { worker in
            let user = try await worker.addUser(locale: "de")
            try await worker.enqueue(worker.jobs.identityLinked(of: user.id, provider: "Our <company>"))
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["to"] == "Anna@example.org")
            #expect(mail["subject"] == "Neue Anmeldemöglichkeit für dein Konto")
            #expect(mail["text"]?.contains("über Our <company> an deinem Konto") == true)
            #expect(mail["html"]?.contains("über Our &lt;company&gt; an deinem Konto") == true)
            #expect(mail["text"]?.contains("token") == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An admin reads who has no team, until that person has one`(store: StoreUnderTest) async throws {
        try await MailWorker.with(store) { worker in
            let admin = User(
                name: try UserName("Ada"), email: try EmailAddress("ada@example.org"), role: .admin, locale: "de")
            try await worker.stores.insert(admin)
            let anna = try await worker.addUser()
            try await worker.jobs.teamRequest(of: anna.id, to: admin.id)
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["to"] == "ada@example.org" && mail["subject"] == "Anna bittet um ein Team")
            #expect(mail["text"]?.contains("\(MailSender.site)/admin/people/\(anna.id)") == true)
            let team = Team(name: "Blue")
            try await worker.stores.insert(team)
            try await worker.stores.add(Membership(teamID: team.id, userID: anna.id))
            try await worker.jobs.teamRequest(of: anna.id, to: admin.id)
            // Neither do those who are no admins any more.
            try await worker.jobs.teamRequest(of: try await worker.addUser("Bert").id, to: anna.id)
            try await worker.run()
            #expect(worker.mailgun.mails.count { $0["to"] == "ada@example.org" } == 1)
            #expect(!worker.mailgun.mails.contains { $0["subject"]?.hasPrefix("Bert") == true })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A new address gets the link, and the old one the news`(store: StoreUnderTest) async throws {
        try await MailWorker.with(store) { worker in
            let user = try await worker.addUser()
            try await worker.stores.update(id: user.id, UserUpdate(pendingEmail: .set("anna@new.example")))
            try await worker.jobs.emailChange(of: user.id)
            try await worker.run()
            #expect(worker.mailgun.mails.map { $0["to"] } == ["anna@new.example"])
            let token = try #require(worker.mailedTokens().first)
            #expect(worker.mailgun.mails.first?["text"]?.contains("/confirm-email?token=\(token)") == true)
            #expect(try await worker.counts(token, .emailChange))

            try await worker.stores.update(id: user.id, UserUpdate(email: "anna@new.example", pendingEmail: .cleared))
            try await worker.enqueue(worker.jobs.emailChanged(of: user.id, from: user.email))
            try await worker.run()
            #expect(worker.mailgun.mails.map { $0["to"] } == ["anna@new.example", user.email])
            #expect(worker.mailgun.mails.last?["text"]?.contains("new.example") == false)
        }
    }

    @Test func `The old address learns that an admin has set another one`() async throws {
        try await MailWorker.with { worker in
            let user = try await worker.addUser()
            try await worker.stores.update(id: user.id, UserUpdate(email: "anna@new.example"))
            try await worker.enqueue(worker.jobs.emailChanged(of: user.id, from: user.email, byAdmin: true))
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["to"] == user.email)
            for part in ["text", "html"] {
                #expect(mail[part]?.contains("An admin has given your account") == true)
                #expect(mail[part]?.contains("If this wasn’t you") == false)
                #expect(mail[part]?.contains("new.example") == false)
            }
        }
    }

    @Test func `The old address learns at which provider there is another one`() async throws {
        try await MailWorker.with { worker in
            let user = try await worker.addUser(locale: "de")
            try await worker.stores.update(id: user.id, UserUpdate(email: "anna@new.example"))
            try await worker.enqueue(
                worker.jobs.emailChanged(of: user.id, from: user.email, provider: "Our <company>"))
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["to"] == user.email)
            #expect(mail["text"]?.contains("bei Our <company> hast du eine andere E-Mail-Adresse") == true)
            #expect(mail["html"]?.contains("bei Our &lt;company&gt; hast du eine andere") == true)
            for part in ["text", "html"] {
                #expect(mail[part]?.contains("Wenn du es warst") == false)
                #expect(mail[part]?.contains("new.example") == false)
            }
        }
    }

    /// The job ends without sending a mail.
    @Test func `Nobody gets a mail about deleted data`() async throws {
        let cases: [(String, @Sendable (MailWorker) async throws -> Void)] = [
            ("a user nobody knows", { try await $0.jobs.passwordReset(of: .random()) }),
            (
                "a user who was deleted meanwhile",
                { worker in
                    let user = try await worker.addUser()
                    try await worker.jobs.passwordReset(of: user.id)
                    try await worker.stores.delete(id: user.id)
                }
            ),
            (
                "a user who was disabled meanwhile",
                { worker in
                    let user = try await worker.addUser()
                    try await worker.enqueue(worker.jobs.passwordChanged(of: user.id))
                    try await worker.stores.update(id: user.id, UserUpdate(isDisabled: true))
                }
            ),
            (
                "a user who was disabled since another log-in was linked",
                { worker in
                    let user = try await worker.addUser()
                    try await worker.enqueue(worker.jobs.identityLinked(of: user.id, provider: "company"))
                    try await worker.stores.update(id: user.id, UserUpdate(isDisabled: true))
                }
            ),
            (
                "an address that is wanted no more",
                { worker in try await worker.jobs.emailChange(of: try await worker.addUser().id) }
            ),
            (
                "an address in use",
                { worker in
                    let user = try await worker.addUser()
                    _ = try await worker.addUser("Bert")
                    try await worker.stores.update(id: user.id, UserUpdate(pendingEmail: .set("BERT@example.org")))
                    try await worker.jobs.emailChange(of: user.id)
                }
            ),
        ]
        for (what, prepare) in cases {
            try await MailWorker.with { worker in
                try await prepare(worker)
                try await worker.run()
                #expect(worker.mailgun.requests == 0, "\(what)")
                #expect(try await worker.mailJob()?.state == .done, "\(what)")
            }
        }
    }

    @Test func `An unreadable payload is given up at once`() async throws {
        try await MailWorker.with { worker in
            for kind in MailJobKind.allCases {
                let payload = #"{"userID":"' OR 1=1","oldEmail":7}"#
                _ = try await worker.stores.jobs.enqueue(Job(kind: kind.rawValue, payload: payload, runAt: testStart))
            }
            try await worker.run()
            let dead = try await worker.stores.jobs.list(state: .dead, limit: 100)
            #expect(Set(dead.map(\.kind)) == Set(MailJobKind.allCases.map(\.rawValue)))
            #expect(dead.allSatisfy { $0.lastError == JobError.unreadablePayload.message && $0.attempts == 1 })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Expired links are removed`(store: StoreUnderTest) async throws {
        try await MailWorker.with(store) { worker in
            try await worker.jobs.passwordReset(of: try await worker.addUser().id)
            try await worker.run()
            let token = try #require(worker.mailedTokens().first)
            let registration = Registration(
                name: "Bert", email: "bert@example.org", passwordHash: "x", role: .member, locale: "en",
                expires: testStart + 3_600)
            try await worker.stores.write { try $0.put(registration) }
            try await worker.run(at: testStart + 3 * 3_600)
            // If the clock was set back, it would still be valid.
            #expect(try await !worker.counts(token, .passwordReset))
            #expect(try await worker.stores.read { try $0.registration(registration.id) } == nil)
        }
    }
}
