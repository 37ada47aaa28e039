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

/// Reminder settings and absences over HTTP.
@Suite struct ReminderRouteTests {
    private static let plain = #"{"isOn":true,"hour":9,"remindsAgain":false,"holidays":[]}"#

    private func put(_ uri: String, token: String, json: String, in app: TestApp) async throws -> TestResponse {
        try await app.send(
            .put, uri, token: token, headers: [.contentType: "application/json"], body: ByteBuffer(string: json))
    }

    @Test func `A team starts with the standard settings`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let response = try await app.get("\(team.path)/reminders", token: team.members[1].token)
            #expect(response.status == .ok)
            #expect(response.text.hasPrefix(#"{"holidays":[],"hour":9,"isOn":true,"remindsAgain":false,"#))
            #expect(response.text.hasSuffix(#","texts":{},"timing":"start","weekend":["saturday","sunday"]}"#))
            let standard = try #require(response.object["standardTexts"] as? [String: [String: [String: String]]])
            #expect(Set(standard.keys) == ["first", "second"])
            #expect(standard["first"]?["en"]?["title"] == "How happy are you?")
            #expect(standard["second"]?["de"]?["title"] == "Noch {daysLeft} zum Abstimmen")
        }
    }

    @Test func `Settings are replaced as a whole`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let path = "\(team.path)/reminders"
            let json = #"""
                {"isOn":false,"timing":"end","hour":0,"remindsAgain":true,"weekend":["saturday","friday"],
                 "holidays":["2026-12-25","2026-12-24","2026-12-25"],
                 "texts":{"first":{"de":{"title":" Servus {team} "},"en":{"title":"","body":""}},"second":{}}}
                """#
            let response = try await put(path, token: team.lead.token, json: json, in: app)
            #expect(response.status == .ok)
            #expect(response.object["holidays"] as? [String] == ["2026-12-24", "2026-12-25"])
            let texts = #""texts":{"first":{"de":{"body":"","title":"Servus {team}"}}}"#
            #expect(response.text.hasSuffix(#"\#(texts),"timing":"end","weekend":["friday","saturday"]}"#))
            #expect(try await app.get(path, token: team.lead.token).text == response.text)
            // The response can be sent back as a request.
            #expect(try await put(path, token: team.lead.token, json: response.text, in: app).text == response.text)
            let again = try await put(path, token: team.lead.token, json: Self.plain, in: app)
            // Older clients know neither the timing nor the weekend.
            #expect(again.text.hasSuffix(#""texts":{},"timing":"end","weekend":["friday","saturday"]}"#))
        }
    }

    @Test(arguments: [
        (#"{"hour":9,"remindsAgain":false,"holidays":[]}"#, 400, "The field isOn is missing."),
        (#"{"isOn":true,"hour":"9","remindsAgain":false,"holidays":[]}"#, 400, "The field hour has the wrong type."),
        (
            #"{"isOn":true,"timing":"never","hour":9,"remindsAgain":false,"holidays":[]}"#, 400,
            "The field timing"
        ),
        (#"{"isOn":true,"hour":9,"remindsAgain":false,"holidays":["24.12."]}"#, 400, "A day off must be a day"),
        (#"{"isOn":true,"hour":18,"remindsAgain":false,"holidays":[]}"#, 422, "from 0 to 17"),
        (
            #"{"isOn":true,"hour":9,"remindsAgain":false,"weekend":["Samstag"],"holidays":[]}"#, 400,
            "The field weekend"
        ),
        (
            #"""
            {"isOn":true,"hour":9,"remindsAgain":false,"holidays":[],"weekend":["monday","tuesday","wednesday",
            "thursday","friday","saturday","sunday"]}
            """#, 422, "one day of the week"
        ),
        (#"{"isOn":true,"hour":9,"remindsAgain":false,"holidays":["1999-12-24"]}"#, 422, "2000 to 2100"),
        (
            #"{"isOn":true,"hour":9,"remindsAgain":false,"holidays":[],"texts":{"third":{}}}"#, 422,
            "There’s no such reminder."
        ),
        (
            #"{"isOn":true,"hour":9,"remindsAgain":false,"holidays":[],"texts":{"first":{"fr":{}}}}"#, 422,
            "There’s no such language here. There are: en, de."
        ),
        (
            #"{"isOn":true,"hour":9,"remindsAgain":false,"holidays":[],"texts":{"first":{"en":{"title":"{name}"}}}}"#,
            422, "There’s no placeholder {name}. There are: {team}, {sprint}, {days}, {daysLeft}."
        ),
    ])
    func `Invalid settings are refused when saved and when tried`(
        json: String, status: Int, detail: String
    ) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let saved = try await put("\(team.path)/reminders", token: team.lead.token, json: json, in: app)
            expectRejection(saved, status, saying: detail)
            let tried = try await app.post("\(team.path)/reminders/preview", token: team.lead.token, json: json)
            expectRejection(tried, status, saying: detail)
        }
    }

    @Test func `A preview shows texts and dates`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(settings: TeamSettings(timeZone: "Europe/Vienna"))
            let json = #"""
                {"isOn":true,"hour":9,"remindsAgain":true,"holidays":["2026-01-19"],
                 "texts":{"second":{"en":{"title":"{days} days left for {team}"}}}}
                """#
            let response = try await app.post("\(team.path)/reminders/preview", token: team.lead.token, json: json)
            #expect(response.status == .ok)
            let texts = try #require(response.object["texts"] as? [String: [String: [String: String]]])
            #expect(texts["second"]?["en"]?["title"] == "4 days left for Blue")
            #expect(texts["first"]?["de"]?["body"]?.contains("wie es dir geht") == true)
            let sprints = try #require(response.object["sprints"] as? [[String: Any]])
            #expect(sprints.map { $0["label"] as? String } == ["2026/2", "2026/3"])
            let reminders = try #require(sprints[0]["reminders"] as? [[String: String]])
            #expect(reminders.map { $0["kind"] } == ["first", "second"])
            #expect(reminders.map { $0["day"] } == ["2026-01-20", "2026-01-29"])
            #expect(reminders[0]["from"]?.hasPrefix("2026-01-20T08:") == true)
            #expect(reminders[0]["until"] == "2026-01-20T17:00:00Z")
            #expect(try await app.stores.latestSprint(of: team.id) == nil)
        }
    }

    @Test func `Members read, leads change, and others find no team`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let other = try await app.makeTeam("Red")
            let path = "\(team.path)/reminders"
            let member = team.members[1].token
            expectRejection(
                try await put(path, token: member, json: Self.plain, in: app), 403, saying: "don’t have access")
            expectRejection(
                try await app.post("\(path)/preview", token: member, json: Self.plain), 403,
                saying: "don’t have access")
            let stranger = other.lead.token
            expectRejection(try await app.get(path, token: stranger), 404, saying: "no such team")
            expectRejection(
                try await put(path, token: stranger, json: Self.plain, in: app), 404, saying: "no such team")
            expectRejection(try await app.get(path), 401, saying: "log in")
            expectRejection(try await app.get("/api/v1/me/absences"), 401, saying: "log in")
        }
    }

    @Test func `Absences are replaced, listed and exported`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let token = team.lead.token
            let path = "/api/v1/me/absences"
            #expect(try await app.get(path, token: token).classic == #"200 {"absences":[]}"#)
            let json = #"""
                {"absences":[{"first":"2026-07-01","last":"2026-07-14"},{"first":"2026-01-20","last":"2026-02-01"},
                 {"first":"2025-01-01","last":"2025-01-02"}]}
                """#
            let kept =
                #"{"absences":[{"first":"2026-01-20","last":"2026-02-01"},{"first":"2026-07-01","last":"2026-07-14"}]}"#
            #expect(try await put(path, token: token, json: json, in: app).classic == "200 \(kept)")
            #expect(try await app.get(path, token: token).text == kept)
            let export = try await app.get("/api/v1/me/export", token: token)
            #expect(
                export.object["absences"] as? [[String: String]] == [
                    ["first": "2026-01-20", "last": "2026-02-01"], ["first": "2026-07-01", "last": "2026-07-14"],
                ])
            // The route for notification preferences still works.
            let change = try await app.send(
                .patch, "/api/v1/me", token: token, headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"notifications":{"push":false,"mail":true}}"#))
            #expect(change.status == .ok)
            #expect(try await app.get(path, token: token).text == kept)
        }
    }

    @Test(arguments: [
        (#"{}"#, 400, "The field absences is missing."),
        (#"{"absences":[{"first":"2026-07-01"}]}"#, 400, "The field last is missing."),
        (#"{"absences":[{"first":"2026-07-01","last":"1.8."}]}"#, 400, "The field last can’t be read."),
        (#"{"absences":[{"first":"2026-07-02","last":"2026-07-01"}]}"#, 422, "ends before it begins"),
        (#"{"absences":[{"first":"2026-07-01","last":"2027-07-02"}]}"#, 422, "longer than 366 days"),
    ])
    func `Invalid absences are refused`(json: String, status: Int, detail: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let response = try await put("/api/v1/me/absences", token: team.lead.token, json: json, in: app)
            expectRejection(response, status, saying: detail)
        }
    }
}
