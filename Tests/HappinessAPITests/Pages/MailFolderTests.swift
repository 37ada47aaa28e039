import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// What pages say about mails that are kept in a folder, or not sent yet.
@Suite struct MailFolderTests {
    @Test func `Pages say that mails are kept in a folder, and who has the links`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources, keepsMails: true)) { app in
            let admin = try await app.browser(of: try await app.makeUser("root", role: .admin))
            expectPage(try await admin.get("/admin"), saying: "it keeps them in the folder “outbox”")
            expectPage(try await admin.get("/admin?language=de"), saying: "im Ordner „outbox“", language: "de")
            expectPage(try await admin.get("/admin/invitations?done=invited"), saying: "Please pass on its link")
            let team = try await app.makeTeam()
            let lead = try await app.browser(of: team.lead.user)
            let page = try await lead.get("\(team.managePath)/members?done=invited")
            expectPage(page, saying: "Your admin passes on the links")
            #expect(!page.text.contains("on their way"))
            expectPage(try await lead.get("/settings/notifications"), saying: "This server sends no e-mails")
        }
    }

    @Test func `Nobody learns from it whether an address has an account`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources, keepsMails: true)) { app in
            _ = try await app.makeUser("anna")
            var pages: [String] = []
            for address in ["anna@example.org", "nobody@example.org"] {
                let page = try await app.post("/forgot-password", form: "email=\(address)")
                expectPage(page, saying: "it keeps the link in a folder")
                pages.append(page.text)
            }
            #expect(pages[0] == pages[1])
        }
    }

    @Test func `With a mail server, mails are on their way until it has them`() async throws {
        try await TestApp.with { app in
            let admin = try await app.browser(of: try await app.makeUser("root", role: .admin))
            #expect(!(try await admin.get("/admin").text.contains("outbox")))
            expectPage(try await admin.get("/admin/invitations?done=invited"), saying: "The invitation is on its way")
        }
    }

    @Test func `A message that no service took is not called sent`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            // Starts the sprint.
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)?.sprint)
            let delivery = Delivery(
                occasion: Delivery.Occasion(
                    sprint: sprint.key, kind: .message, day: try #require(CalendarDay("2026-01-19"))),
                state: .done, begun: TestApp.now, trouble: .serviceUnavailable, text: .init(title: "t", body: "b"))
            _ = try await app.stores.insert(delivery)
            let key = DeliveryBatch.Key(deliveryID: delivery.id, number: 0)
            var counts = DeliveryCounts()
            counts.failed = 3
            let batch = DeliveryBatch(
                key: key, recipients: .members(IdentifierRange()),
                sealedCounts: try CountsSeal(secret: TestTeam.secret).seal(counts, for: key), isDone: true)
            _ = try await app.stores.write { try $0.expand(delivery.id, into: [batch]) }
            let page = try await app.browser(of: team.lead.user).get("\(team.managePath)/messages")
            expectPage(page, saying: "not sent")
            #expect(!page.text.contains("sent late"))
        }
    }
}
