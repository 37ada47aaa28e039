import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The pages about reported errors and the installation's status.
@Suite struct OperationPagesTests {
    private static let pages = ["/admin/errors", "/admin/errors?state=resolved", "/admin/status"]

    @Test func `The pages are for administrators only`() async throws {
        try await TestApp.with { app in
            let admin = try await app.browser(of: app.makeUser("admin", role: .admin))
            let member = try await app.browser(of: app.makeUser("maria"))
            for path in Self.pages {
                expectPage(try await admin.get(path))
                expectPage(try await member.get(path), 404)
                let stranger = try await app.get(path)
                #expect(stranger.status == .seeOther && stranger.headers[.location]?.hasPrefix("/login") == true)
            }
            expectPage(try await admin.get("/admin/errors/\(ClientErrorGroup.ID.random())"), 404, saying: "is gone")
            expectPage(try await admin.get("/admin/errors/nonsense"), 404)
        }
    }

    @Test func `An error is resolved, reopened and removed by forms`() async throws {
        try await TestApp.with { app in
            let report = try ClientErrorReport(
                level: .error, app: .web, message: "TypeError: x is null", stack: "at send (vote.js:1:2)",
                version: "1.0")
            _ = try await app.stores.record(report, on: ClientErrorGroup.day(at: TestApp.now), limit: 10)
            let path = "/admin/errors/\(report.groupID)"
            let browser = try await app.browser(of: app.makeUser("admin", role: .admin))
            expectPage(try await browser.get("/admin/errors"), saying: path)
            expectPage(try await browser.get(path), saying: "at send (vote.js:1:2)")

            expectPage(try await browser.post(path, form: "state=resolved&formToken=x"), 403)
            let token = try await browser.formToken(on: path)
            let resolved = try await browser.post(path, form: "state=resolved&formToken=\(token)")
            #expect(resolved.headers[.location] == "/admin/errors?done=resolved")
            expectPage(try await browser.get("/admin/errors?done=resolved"), saying: "marked as resolved")
            expectPage(try await browser.get("/admin/errors?state=resolved"), saying: path)
            let reopened = try await browser.post(path, form: "state=open&formToken=\(token)")
            #expect(reopened.headers[.location] == "/admin/errors?done=reopened")
            #expect(try await app.stores.read { try $0.clientError(report.groupID) }?.isResolved == false)
            expectPage(try await browser.post("\(path)/delete", form: "formToken=\(token)"), 409, saying: "tomorrow")
            app.clock.advance(by: 86_400)
            let removed = try await browser.post("\(path)/delete", form: "formToken=\(token)")
            #expect(removed.headers[.location] == "/admin/errors?done=removed")
            expectPage(try await browser.post("\(path)/delete", form: "formToken=\(token)"), 404)
        }
    }

    @Test func `The status shows processes and says if the worker is missing`() async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: app.makeUser("admin", role: .admin))
            expectPage(try await browser.get("/admin/status"), saying: "No worker is running")
            try await app.stores.record(
                ProcessRecord(
                    id: .random(), kind: .worker, host: "machine-one", version: "1.0.0", started: TestApp.now - 100,
                    seen: TestApp.now, load: ProcessLoad(memory: 60 * 1_048_576, cpu: 0.1)))
            let page = try await browser.get("/admin/status")
            expectPage(page, saying: "machine-one")
            #expect(page.text.contains("60 MiB") && page.text.contains("10 %"))
            #expect(!page.text.contains("No worker is running"))
            app.clock.advance(by: 61)
            expectPage(try await browser.get("/admin/status"), saying: "last seen 25 January 2026, 00:00 UTC")
        }
    }
}

/// The same pages with made-up data.
enum OperationPageSamples {
    /// - Parameter text: used wherever text of another user may appear.
    static func pages(saying text: String, in frame: PageFrame, words: LocalizedTexts) throws -> [any Page] {
        let now = TestApp.now
        let day = ClientErrorGroup.day(at: now)
        let user = User(name: try UserName("admin"), email: try EmailAddress("admin@example.org"), role: .admin)
        var visit = PageVisit(
            principal: Principal(userID: user.id, sessionID: .random()), user: user, frame: frame, words: words,
            team: nil)
        visit.done = text
        visit.problem = FormProblem(text)
        let group = ClientErrorGroup(
            id: .random(), app: .web, level: .warning, message: text, firstDay: day, lastDay: day, countBefore: 3,
            countOnLastDay: 1, versions: [text],
            sample: .init(stack: text, version: text, platform: text, tags: [text: text]), isResolved: true)
        let load = ProcessLoad(
            memory: 6e7, cpu: 0.5, connections: 20, requests: RequestRates(answered: 3, refused: 2, failed: 1))
        let process = ProcessRecord(
            id: .random(), kind: .api, host: text, version: text, started: now, seen: now, load: load)
        let status = SystemStatus(
            instant: now,
            versions: .init(product: text, swift: text, system: text, store: text, schema: text),
            parts: [.init(purpose: .mail, driver: text, state: .unreachable)], processes: [process], own: process.id,
            disk: .init(free: 10_000_000_000, total: 20_000_000_000),
            history: [.init(instant: now - 15, load: load), .init(instant: now, load: load)])
        return [
            ClientErrorListPage([group], state: .open, today: day, visit: visit),
            ClientErrorPage(group, today: day, visit: visit), StatusPage(status, visit: visit),
        ]
    }
}
