import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The list of what a lead of a new team still has to do.
@Suite struct FirstStepsTests {
    private func steps(_ page: String) -> Int { page.matches(of: /<li class="done">/).count }

    @Test func `Each finished step is ticked, and the list disappears with the last one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let first = try await browser.get(team.pagePath).text
            #expect(first.contains("First steps for Blue") && first.contains("0 of 3") && steps(first) == 1)

            let token = try await browser.formToken(on: "\(team.pagePath)/manage/members")
            _ = try await browser.post(
                "\(team.pagePath)/manage/members/invite",
                form: "formToken=\(token)&role=member&language=en&emails=a@example.org%0Ab@example.org")
            #expect(try await browser.get(team.pagePath).text.contains("2 of 3"))
            try await app.stores.add(
                Membership(teamID: team.id, userID: try await app.makeUser("carla").id, role: .member))
            #expect(try await steps(browser.get(team.pagePath).text) == 2)
            _ = try await app.post("/api/v1\(team.pagePath)/reminders/test", token: team.lead.token, json: "{}")
            let waiting = try await browser.get(team.pagePath).text
            #expect(steps(waiting) == 2 && waiting.contains("on its way"))
            try await finishTest(of: team.id, \.mailed, app)
            #expect(try await steps(browser.get(team.pagePath).text) == 3)
            #expect(try await app.vote(team.lead, in: team).status == .created)
            #expect(!(try await browser.get(team.pagePath).text.contains("First steps")))
        }
    }

    /// The outcome of the reminder's test, as the worker records it.
    private func finishTest(
        of teamID: Team.ID, _ count: any WritableKeyPath<DeliveryCounts, Int> & Sendable, _ app: TestApp
    ) async throws {
        let waiting = try await app.stores.read { try $0.unfinishedDeliveries(limit: 10) }
        let test = try #require(waiting.first { $0.occasion.sprint.teamID == teamID && $0.occasion.kind == .test })
        let key = DeliveryBatch.Key(deliveryID: test.id, number: 0)
        var counts = DeliveryCounts()
        counts[keyPath: count] = 1
        let batch = DeliveryBatch(
            key: key, recipients: .requester,
            sealedCounts: try CountsSeal(secret: TestTeam.secret).seal(counts, for: key), isDone: true)
        _ = try await app.stores.write { try $0.expand(test.id, into: [batch]) }
        try await app.stores.write { try $0.finishDelivery(test.id) }
    }

    @Test func `The test is ticked only if a service accepted it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            func request() async throws {
                _ = try await app.post("/api/v1\(team.pagePath)/reminders/test", token: team.lead.token, json: "{}")
            }
            try await request()
            try await finishTest(of: team.id, \.failed, app)
            let failed = try await browser.get(team.pagePath).text
            #expect(steps(failed) == 1 && failed.contains("no service accepted it"))
            try await request()
            try await finishTest(of: team.id, \.accepted, app)
            let accepted = try await browser.get(team.pagePath).text
            #expect(steps(accepted) == 2 && !accepted.contains("no service accepted it"))
        }
    }

    @Test func `A mail in a folder is not ticked, and the list says who has the links`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources, keepsMails: true)) { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            _ = try await app.post("/api/v1\(team.pagePath)/reminders/test", token: team.lead.token, json: "{}")
            try await finishTest(of: team.id, \.mailed, app)
            let page = try await browser.get(team.pagePath).text
            #expect(steps(page) == 1 && page.contains("kept in a folder, not sent"))
            #expect(page.contains("Your admin passes on the links"))
            expectPage(try await browser.get("\(team.managePath)/messages"), saying: "kept in a folder, not sent")
        }
    }

    @Test func `Members and teams that are past their first sprint see no list`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            #expect(try await app.browser(of: team.lead.user).get(team.pagePath).text.contains("First steps"))
            #expect(!(try await app.browser(of: team.members[1].user).get(team.pagePath).text.contains("First steps")))
            let file = try HistoryFile(
                "start,end,happiness,votes,eligible\n2025-12-01,2025-12-07,7,6,9\n2025-12-08,2025-12-21,7,6,9")
            _ = try await HistoryImport(stores: app.stores, clock: .system)
                .add(file, to: team.id, replacing: false)
            #expect(try await app.browser(of: team.lead.user).get(team.pagePath).text.contains("First steps"))
            try await app.importSprints([(2026, 1, 6, 9)], of: team)
            #expect(!(try await app.browser(of: team.lead.user).get(team.pagePath).text.contains("First steps")))
        }
    }

    @Test func `The administration begins with the sections, for administrators alone`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("root", role: .admin)
            let page = try await app.browser(of: admin).get("/admin")
            expectPage(page, saying: "Accounts, roles and passwords")
            #expect(!page.text.contains("First steps"))
            let member = try await app.makeTeam().lead.user
            expectPage(try await app.browser(of: member).get("/admin"), 404)
        }
    }
}
