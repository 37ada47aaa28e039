import Foundation
import HTTPTypes
import HummingbirdTesting
import Shared
import TestSupport
import Testing

@testable import HappinessAPI

/// Reminders and absences, by their forms.
@Suite struct NotificationSettingsTests {
    private static let path = "/settings/notifications"

    @Test func aBoxThatIsNotTickedIsANo() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            for (fields, push, mail) in [("&mail=on", false, true), ("&push=on", true, false), ("", false, false)] {
                let answer = try await browser.post(Self.path, form: "formToken=\(token)\(fields)")
                #expect(answer.headers[.location] == "\(Self.path)?done=notifications")
                let wishes = try await app.stores.users.find(id: anna.id)?.notifications
                #expect(wishes == NotificationSettings(push: push, mail: mail))
            }
            expectPage(try await browser.get("\(Self.path)?done=notifications"), saying: "Your choice is saved.")
        }
    }

    @Test func absencesAreAddedAndRemoved() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            func send(_ path: String, _ first: String, _ last: String) async throws -> TestResponse {
                try await browser.post(path, form: "formToken=\(token)&first=\(first)&last=\(last)")
            }
            let added = try await send("/settings/absences", "2026-03-02", "2026-03-06")
            #expect(added.headers[.location] == "\(Self.path)?done=absence", "\(added.classic)")
            expectPage(try await browser.get(Self.path), saying: "2 March 2026 – 6 March 2026")
            _ = try await send("/settings/absences", "2026-02-10", "2026-02-10")
            expectPage(try await browser.get("\(Self.path)?language=de"), saying: "10. Februar 2026<", language: "de")

            expectPage(try await send("/settings/absences", "", ""), 422, saying: "choose the first")
            expectPage(
                try await send("/settings/absences", "2026-03-02", "2026-03-01"), 422, saying: "before the first")
            expectPage(try await send("/settings/absences", "2026-01-02", "2026-01-03"), 422, saying: "are over")
            expectPage(try await send("/settings/absences", "2026-03-02", "2028-03-01"), 422, saying: "a year each")
            #expect(try await app.stores.absences.list(userID: anna.id).count == 2)

            let removed = try await send("/settings/absences/remove", "2026-03-02", "2026-03-06")
            #expect(removed.headers[.location] == "\(Self.path)?done=absence-removed")
            #expect(try await app.stores.absences.list(userID: anna.id).map(\.first.description) == ["2026-02-10"])
        }
    }

    @Test func nothingIsSaidOfThisBrowserWhereNothingIsSentToBrowsers() async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            #expect(try await !browser.get(Self.path).text.contains("data-notifications"))
        }
        try await TestApp.with(settings: ["PUSH_DRIVERS": "webpush"]) { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            // A module of ours shows it where the browser can do it.
            expectPage(try await browser.get(Self.path), saying: "data-notifications hidden>")
        }
    }
}
