import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import Synchronization
import TestSupport
import Testing

@testable import HappinessAPI

/// The page about the installation's health, and its buttons.
@Suite struct HealthPageTests {
    @Test func `A test mail goes to the administrator alone, once in ten minutes`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("root", role: .admin)
            let browser = try await app.browser(of: admin)
            let form = "formToken=\(try await browser.formToken(on: "/admin"))&email=other@example.org"
            let sent = try await browser.post("/admin/test-mail", form: form)
            #expect(sent.headers[.location] == "/admin?done=test-mail")
            expectPage(try await browser.get("/admin?done=test-mail"), saying: "is on its way")
            #expect(try await app.mails(.test) == [#"{"userID":"\#(admin.id)"}"#])
            expectPage(try await browser.post("/admin/test-mail", form: form), 422, saying: "wait ten minutes")
            #expect(try await app.mails(.test).count == 1)
            app.clock.now += 600
            #expect(try await browser.post("/admin/test-mail", form: form).status == .seeOther)
            #expect(try await app.mails(.test).count == 2)
        }
    }

    @Test func `A backup is requested once, and a failed one is tried again`() async throws {
        try await TestApp.with { app in
            let jobs = JobService(stores: app.stores, clock: app.clock.wall)
            func state() async throws -> [Job.State] {
                try await app.stores.jobs.list(state: nil, limit: 10).filter { $0.kind == "makeBackup" }.map(\.state)
            }
            try await jobs.makeBackup(by: .operator)
            try await jobs.makeBackup(by: .operator)
            #expect(try await state() == [.ready])
            let leased = try #require(
                try await app.stores.jobs.lease(
                    kinds: ["makeBackup"], owner: "a", at: app.clock.now, until: app.clock.now + 60))
            try await jobs.makeBackup(by: .operator)
            #expect(try await state() == [.leased])
            #expect(try await app.stores.jobs.markDead(id: leased.id, owner: "a", error: "disk full"))
            try await jobs.makeBackup(by: .operator)
            #expect(try await state() == [.ready])
        }
    }

    @Test func `A check that hangs delays nobody, and looks within a minute check once`() async throws {
        try await TestApp.with { app in
            let (waiting, end) = AsyncStream<Void>.makeStream()
            let calls = Mutex(0)
            let checks = [
                HealthService.Check(part: "store") {
                    for await _ in waiting {}
                    return []
                },
                HealthService.Check(part: "disk") {
                    calls.withLock { $0 += 1 }
                    return [Finding(.ok, "disk", "Enough.")]
                },
            ]
            let health = HealthService(
                checks: checks, processes: ProcessService(stores: app.stores, clock: app.clock.wall),
                patience: .milliseconds(300))
            for _ in 0..<2 {
                let found = try await health.findings(by: .operator)
                #expect(found.map(\.part) == ["store", "disk"] && found.first?.key == .slow)
            }
            await health.forget("disk")
            _ = try await health.findings(by: .operator)
            #expect(calls.withLock { $0 } == 2)
            end.finish()
            let member = try await app.makeUser("anna")
            await #expect(throws: AppError.self) { try await health.findings(by: .user(member.id)) }
        }
    }

    @Test func `A part that needs somebody has a remedy, and a button where one helps`() throws {
        let words = try TextCatalog(resources: Repository.resources).words(in: .english)
        let rows = HealthRow.all(
            [
                Finding(.advice, "mail", "x", .mailUntested), Finding(.advice, "mail", "x", .mailFolder),
                Finding(.fault, "backups", "x", .backupOld, ["day": "2026-01-05"]),
                Finding(.fault, "store", "/secret/path"),
            ], words: words, language: .english)
        #expect(rows.map(\.id) == ["mail", nil, "backups", "store"])
        #expect(rows.map { $0.deed?.address } == [.adminTestMail, nil, .adminBackup, nil])
        #expect(rows[2].text.contains("5 January 2026") && rows[2].isBad)
        #expect(rows[3].text.contains("HappinessAPI doctor") && !rows[3].text.contains("secret"))
    }

    @Test func `First steps tick a delivered mail, and not a mail service that answers`() throws {
        let words = LocalizedTexts(sections: [:])
        let card = FirstStepsCard(
            FirstSteps(teamID: .random(), teamName: "Blue", people: 0, reminderTest: .open, hasVoted: false),
            words: words)
        func ticked(_ findings: [Finding]) -> [Bool]? {
            AdminStartPage(
                findings, firstSteps: card, done: nil, problem: nil, words: words, language: .english
            ).firstSteps?.steps.suffix(3).map(\.isDone)
        }
        let reached = [
            Finding(.ok, "mail", "", .serviceOk),
            Finding(.ok, "address", "", .addressOk, ["address": "http://localhost"]),
            Finding(.advice, "backups", "", .noBackupYet),
        ]
        #expect(ticked(reached) == [false, false, false])
        let delivered = [
            Finding(.ok, "mail", "", .mailDelivered),
            Finding(.ok, "address", "", .addressOk, ["address": "https://a.example"]),
            Finding(.ok, "backups", "", .backupOk),
        ]
        #expect(ticked(delivered) == [true, true, true])
    }
}
