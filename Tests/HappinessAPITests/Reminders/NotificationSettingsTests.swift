import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The forms for reminders and absences.
@Suite struct NotificationSettingsTests {
    private static let path = "/settings/notifications"

    @Test func `A box that is not ticked means no`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            for (fields, push, mail, results) in [
                ("&mail=on", false, true, false), ("&push=on", true, false, false), ("", false, false, false),
                ("&results=on", false, false, true),
            ] {
                let response = try await browser.post(Self.path, form: "formToken=\(token)\(fields)")
                #expect(response.headers[.location] == "\(Self.path)?done=notifications")
                let wishes = try await app.stores.user(anna.id)?.notifications
                #expect(wishes == NotificationSettings(push: push, mail: mail, results: results))
            }
            expectPage(try await browser.get("\(Self.path)?done=notifications"), saying: "Choice saved.")
        }
    }

    @Test func `A member chooses their own hour, and the team's again`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            for (typed, hour) in [("15", 15), ("", nil)] as [(String, Int?)] {
                _ = try await browser.post(Self.path, form: "formToken=\(token)&push=on&mail=on&hour=\(typed)")
                #expect(try await app.stores.user(anna.id)?.notifications.hour == hour)
                #expect(try await browser.get(Self.path).text.contains("<option value=\"\(typed)\" selected>"))
            }
            let refused = try await browser.post(Self.path, form: "formToken=\(token)&hour=18")
            #expect(refused.status == .unprocessableContent)
            let access = try await app.token(of: anna)
            for (change, hour) in [(#""hour":7"#, 7), (#""push":false"#, 7), (#""hour":null"#, nil)] as [(String, Int?)]
            {
                let response = try await app.send(
                    .patch, "/api/v1/me", token: access, headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: #"{"notifications":{\#(change)}}"#))
                let wishes = try #require(response.object["notifications"] as? [String: Any])
                #expect(wishes["hour"] as? Int == hour)
            }
        }
    }

    @Test func `A member who works part-time chooses days without reminders`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            _ = try await browser.post(Self.path, form: "formToken=\(token)&push=on&friday=on&monday=on")
            #expect(try await app.stores.user(anna.id)?.notifications.daysOff == [.monday, .friday])
            let page = try await browser.get(Self.path).text
            #expect(page.contains("name=\"friday\" value=\"on\" checked"))
            #expect(page.contains("name=\"sunday\" value=\"on\">"))
            let access = try await app.token(of: anna)
            for (change, days) in [
                (#""hour":7"#, ["monday", "friday"]), (#""daysOff":["sunday"]"#, ["sunday"]),
                (#""daysOff":null"#, ["sunday"]), (#""daysOff":[]"#, nil),
            ] as [(String, [String]?)] {
                let response = try await app.send(
                    .patch, "/api/v1/me", token: access, headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: #"{"notifications":{\#(change)}}"#))
                let wishes = try #require(response.object["notifications"] as? [String: Any])
                #expect(wishes["daysOff"] as? [String] == days)
            }
            let wrong = try await app.send(
                .patch, "/api/v1/me", token: access, headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"notifications":{"daysOff":["someday"]}}"#))
            expectRejection(wrong, 400)
        }
    }

    @Test func `Absences are added and removed`() async throws {
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

            for (first, last, problem) in [
                ("", "", "Please choose a date for “First day”."),
                ("2026-03-02", "", "Please choose a date for “Last day”."),
                ("2026-02-31", "2026-03-02", "“2026-02-31” isn’t a date. Please enter it like this: 2026-12-24."),
                ("2026-03-02", "2026-03-01", "The last day, 1 March 2026, is before the first one, 2 March 2026."),
                ("2026-01-02", "2026-01-03", "These days are over: 2 January 2026 – 3 January 2026."),
                ("2026-03-02", "2028-03-01", "2 March 2026 – 1 March 2028 can’t be added."),
            ] {
                let page = try await send("/settings/absences", first, last)
                expectPage(page, 422, saying: problem)
                for (name, value) in [("first", first), ("last", last)] {
                    #expect(page.text.contains("name=\"\(name)\" type=\"date\" value=\"\(value)\""), "\(problem)")
                }
                #expect(page.text.contains("10 February 2026<") && page.text.contains("6 March 2026<"))
                #expect(try await app.stores.absences(of: anna.id).count == 2)
            }

            let removed = try await send("/settings/absences/remove", "2026-03-02", "2026-03-06")
            #expect(removed.headers[.location] == "\(Self.path)?done=absence-removed")
            #expect(try await app.stores.absences(of: anna.id).map(\.first.description) == ["2026-02-10"])
        }
    }

    @Test func `Nothing is said of this browser if nothing is sent to browsers`() async throws {
        try await TestApp.with(settings: ["PUSH_DRIVERS": "log"]) { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            #expect(try await !browser.get(Self.path).text.contains("data-notifications"))
        }
        try await TestApp.with(settings: ["PUSH_DRIVERS": "webpush"]) { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            // A script shows it if the browser supports notifications.
            expectPage(try await browser.get(Self.path), saying: "data-notifications hidden>")
        }
    }
}
