import Domain
import Foundation
import Mail
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Failures of Mailgun, workers and the store while a mail is sent: it is sent at least once, or an operator learns why
/// not.
@Suite struct MailFaultTests {
    /// Runs `body` with a worker that has one reset mail to send.
    private func withResetMail(
        _ store: StoreUnderTest = .sqlite, apiKey: String = "key-for-tests", deadline: Duration = .seconds(30),
        _ body: (MailWorker) async throws -> Void
    ) async throws {
        try await MailWorker.with(store, apiKey: apiKey, deadline: deadline) { worker in
            try await worker.jobs.passwordReset(of: try await worker.addUser().id)
            try await body(worker)
        }
    }

    @Test func `A wrong key makes a mail wait, says so, and costs nothing once it is corrected`() async throws {
        try await withResetMail { worker in
            // Longer than the link would be valid.
            for hours in [0.0, 2, 12, 20] {
                worker.mailgun.fail(.status(401))
                let now = testStart + hours * 3_600
                try await worker.run(at: now)
                let job = try #require(try await worker.mailJob())
                #expect(job.state == .ready)
                #expect(job.lastError == "settings: Mailgun does not know the API key (401)")
                #expect(job.runAt > now && job.runAt <= now + 900)
            }
            try await worker.run(at: testStart + 21 * 3_600)
            #expect(worker.mailgun.mails.count == 1)
            #expect(try await worker.mailJob()?.state == .done)
        }
    }

    @Test func `A setting that stays wrong for a day ends the mail`() async throws {
        try await withResetMail { worker in
            worker.mailgun.fail(.status(404), .status(404))
            try await worker.run()
            try await worker.run(at: testStart + 86_399)
            let last = try #require(try await worker.mailJob())
            #expect(last.state == .ready && last.runAt == testStart + 86_400)
            worker.mailgun.fail(.status(404))
            try await worker.run(at: last.runAt)
            let job = try #require(try await worker.mailJob())
            #expect(job.state == .dead)
            #expect(job.lastError?.hasPrefix("settings: ") == true)
        }
    }

    @Test func `Retry-After is respected`() async throws {
        try await withResetMail { worker in
            worker.mailgun.fail(.status(429, retryAfter: "120"))
            try await worker.run()
            let job = try #require(try await worker.mailJob())
            #expect(job.state == .ready)
            #expect(job.runAt >= testStart + 120)
            #expect(job.runAt <= testStart + 130)
            try await worker.run(at: testStart + 119)
            #expect(worker.mailgun.requests == 1)
            try await worker.run(at: job.runAt)
            #expect(worker.mailgun.mails.count == 1)
        }
    }

    @Test(
        .thorough,
        arguments: [MailgunSimulator.Fault.status(500), .status(503), .close, .closeMidResponse, .hang, .hangAfterHead])
    func `A temporary error is tried again`(fault: MailgunSimulator.Fault) async throws {
        // Only these two have to wait for it. It is long enough for the second, good answer on a busy machine.
        let hangs = fault == .hang || fault == .hangAfterHead
        try await withResetMail(deadline: hangs ? .seconds(3) : .seconds(30)) { worker in
            worker.mailgun.fail(fault)
            try await worker.run()
            let job = try #require(try await worker.mailJob())
            #expect(job.state == .ready)
            #expect(job.runAt > testStart)
            #expect(job.lastError?.hasPrefix("unavailable: ") == true)
            #expect(job.lastError?.contains("@") == false)
            try await worker.run(at: job.runAt)
            #expect(try await worker.mailJob()?.state == .done)
            // Mails that Mailgun accepted without a response are sent again: with the same Message-ID, each with a
            // valid link.
            let mails = worker.mailgun.mails
            #expect(!mails.isEmpty)
            #expect(Set(mails.map { $0["h:Message-Id"] }).count == 1)
            let tokens = worker.mailedTokens()
            #expect(Set(tokens).count == mails.count)
            for token in tokens { #expect(try await worker.counts(token, .passwordReset)) }
        }
    }

    @Test(.thorough) func `An outage is waited out as long as the link would be valid`() async throws {
        let end = testStart + OneTimeToken.Purpose.passwordReset.lifetime
        try await withResetMail { worker in
            var now = testStart
            while now < end {
                worker.mailgun.fail(.status(503))
                try await worker.run(at: now)
                let job = try #require(try await worker.mailJob())
                #expect(job.state == .ready && job.runAt > now && job.runAt <= end)
                now = job.runAt
            }
            // The last attempt.
            try await worker.run(at: now)
            #expect(now == end && worker.mailgun.mails.count == 1)
        }
        try await withResetMail { worker in
            worker.mailgun.fail(.status(503))
            try await worker.run(at: end)
            #expect(try await worker.mailJob()?.state == .dead)
        }
    }

    /// The limits in docs/operations.md.
    @Test func `Mails are tried as long as their links are valid, and others for a day`() {
        let day = Duration.seconds(86_400)
        let limits: [MailJobKind: Duration] = [
            .passwordReset: .seconds(3_600), .emailChange: day, .registration: day, .invitation: day * 14,
            .passwordChanged: day, .emailChanged: day, .identityLinked: day, .teamRequest: day,
            .result: day, .test: .seconds(3_600),
        ]
        #expect(Dictionary(uniqueKeysWithValues: MailJobKind.allCases.map { ($0, $0.patience) }) == limits)
    }

    @Test(arguments: StoreUnderTest.all)
    func `A worker that dies before the POST loses no mail`(store: StoreUnderTest) async throws {
        try await withResetMail(store) { worker in
            _ = try await worker.stores.jobs.lease(
                kinds: [MailJobKind.passwordReset.rawValue], owner: "dead", at: testStart, until: testStart + 30)
            try await worker.run(at: testStart + 29)
            #expect(worker.mailgun.requests == 0)
            try await worker.run(at: testStart + 30)
            #expect(worker.mailgun.mails.count == 1)
            #expect(try await worker.mailJob()?.state == .done)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A worker that dies after the POST sends it twice, and both links are valid`(
        store: StoreUnderTest
    ) async throws {
        try await withResetMail(store) { worker in
            try await worker.sendAndDie()
            #expect(worker.mailgun.mails.count == 1)
            try await worker.run(at: testStart + 30)
            let mails = worker.mailgun.mails
            #expect(mails.count == 2)
            #expect(mails[0]["h:Message-Id"] == mails[1]["h:Message-Id"])
            let tokens = worker.mailedTokens()
            #expect(Set(tokens).count == 2)
            for token in tokens { #expect(try await worker.counts(token, .passwordReset)) }
            #expect(try await worker.mailJob()?.state == .done)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Two workers at once send each mail once`(store: StoreUnderTest) async throws {
        try await MailWorker.with(store) { worker in
            for number in 0..<10 {
                try await worker.jobs.passwordReset(of: try await worker.addUser("user\(number)").id)
            }
            async let first: Void = worker.run()
            async let second: Void = worker.run()
            _ = try await (first, second)
            #expect(worker.mailgun.mails.count == 10)
            #expect(Set(worker.mailgun.mails.map { $0["to"] }).count == 10)
        }
    }

    /// The token is stored before the mail is sent: a link that arrives is valid.
    @Test func `No mail is sent while the store is unavailable`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            _ = try await stores.system.migrate()
            let user = User(name: try UserName("Anna"), email: try EmailAddress("anna@example.org"))
            try await stores.insert(user)
            let mails = try MailSender(driver: NoMails(), stores: stores)
            try await stores.system.close()
            await #expect(throws: StorageError.unavailable) {
                try await mails.send(
                    .passwordReset, subject: "\(user.id)", to: user.email, locale: "en",
                    in: JobContext(job: Job(kind: MailJobKind.passwordReset.rawValue, runAt: testStart), now: testStart)
                ) { PasswordResetMail(userName: user.name, link: $0, lifetime: $1) }
            }
        }
    }
}
