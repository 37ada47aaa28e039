import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Product
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `/api/v1/client-errors`, and what administrators see of the reports.
@Suite struct ClientErrorRouteTests {
    private static let path = "/api/v1/admin/client-errors"
    private static let report = """
        {"app":"android","level":"error","message":"NullPointerException in Vote",\
        "stack":"at a.Vote.cast(Vote.kt:42)","version":"2.1.0","platform":"Android 14.1","tags":{"screen":"vote"}}
        """

    private func groups(_ app: TestApp, _ token: String, _ query: String = "") async throws -> [[String: Any]] {
        try #require(try await app.get(Self.path + query, token: token).object["errors"] as? [[String: Any]])
    }

    @Test func `An app's report is listed for administrators only`() async throws {
        try await TestApp.with { app in
            let member = try await app.token(of: app.makeUser("maria"))
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            #expect(try await app.post("/api/v1/client-errors", token: member, json: Self.report).status == .noContent)
            expectRejection(try await app.get(Self.path, token: member), 403)

            let group = try #require(try await groups(app, admin).first)
            #expect(group["message"] as? String == "NullPointerException in Vote")
            #expect(group["count"] as? Int == 0 && group["lastSeen"] as? String == "2026-01-25")
            let sample = group["sample"] as? [String: Any]
            #expect(sample?["platform"] as? String == "Android 14")
            #expect(sample?["stack"] as? String == "at a.Vote.cast (Vote.kt:42)")
            app.clock.advance(by: 86_400)
            #expect(try await groups(app, admin).first?["count"] as? Int == 1)
        }
    }

    @Test func `A report is resolved, reopened and removed`() async throws {
        try await TestApp.with { app in
            let member = try await app.token(of: app.makeUser("maria"))
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            _ = try await app.post("/api/v1/client-errors", token: member, json: Self.report)
            let id = try #require(try await groups(app, admin).first?["id"] as? String)
            let one = "\(Self.path)/\(id)"
            func change(_ state: String, _ token: String) async throws -> TestResponse {
                try await app.send(
                    .patch, one, token: token, headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: "{\"state\":\"\(state)\"}"))
            }
            expectRejection(try await change("resolved", member), 403)
            #expect(try await change("resolved", admin).object["state"] as? String == "resolved")
            #expect(try await groups(app, admin).isEmpty)
            #expect(try await groups(app, admin, "?state=resolved").count == 1)
            expectRejection(try await change("lost", admin), 400)
            let newer = Self.report.replacing("2.1.0", with: "2.2.0")
            _ = try await app.post("/api/v1/client-errors", token: member, json: newer)
            #expect(try await groups(app, admin).first?["versions"] as? [String] == ["2.2.0", "2.1.0"])
            expectRejection(try await app.send(.delete, one, token: member), 403)
            // If it could be removed immediately, the administrator would see when the next report arrives.
            expectRejection(try await app.send(.delete, one, token: admin), 409, saying: "tomorrow")
            app.clock.advance(by: 86_400)
            #expect(try await app.send(.delete, one, token: admin).status == .noContent)
            expectRejection(try await app.send(.delete, one, token: admin), 404)
            expectRejection(try await change("open", admin), 404)
        }
    }

    @Test func `Nobody floods the store`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("maria")
            let member = try await app.token(of: user)
            for _ in 0..<ClientErrorService.reportLimit {
                #expect(
                    try await app.post("/api/v1/client-errors", token: member, json: Self.report).status == .noContent)
            }
            let refused = try await app.post("/api/v1/client-errors", token: member, json: Self.report)
            expectRejection(refused, 429)
            #expect(refused.headers[.retryAfter] == "3600")
            // A new session has no quota of its own; another hour and another user have.
            let again = try await app.token(of: user)
            expectRejection(try await app.post("/api/v1/client-errors", token: again, json: Self.report), 429)
            let other = try await app.token(of: app.makeUser("paul"))
            #expect(try await app.post("/api/v1/client-errors", token: other, json: Self.report).status == .noContent)
            app.clock.advance(by: 3_600)
            #expect(try await app.post("/api/v1/client-errors", token: member, json: Self.report).status == .noContent)
        }
    }

    /// What fails may be the log-in.
    @Test func `Who cannot log in reports too, with a limit for their network`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("maria")
            let member = try await app.token(of: user)
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            func report(_ token: String?) async throws -> TestResponse {
                try await app.post("/api/v1/client-errors", token: token, json: Self.report)
            }
            #expect(try await report(nil).status == .noContent)
            #expect(try await report("a token that has expired").status == .noContent)
            #expect(try await report(member).status == .noContent)
            // Nobody from outside changes what is shown of the users' reports.
            let all = try await groups(app, admin)
            #expect(all.count == 2)
            let samples = all.compactMap { ($0["sample"] as? [String: Any])?["tags"] as? [String: String] }
            #expect(samples.count { $0 == ["screen": "vote", "login": "none"] } == 1)
            #expect(samples.count { $0 == ["screen": "vote"] } == 1)

            for _ in 2..<ClientErrorService.reportLimit {
                #expect(try await report(nil).status == .noContent)
            }
            expectRejection(try await report(nil), 429)
            expectRejection(try await report("another that has expired"), 429)
            // Users have their own limit.
            #expect(try await report(member).status == .noContent)
            app.clock.advance(by: 3_600)
            #expect(try await report(nil).status == .noContent)
        }
    }

    @Test func `Invented errors leave room for those of users`() async throws {
        try await TestApp.with { app in
            let member = try await app.token(of: app.makeUser("maria"))
            let day = ClientErrorGroup.day(at: app.clock.now)
            // Letters, since numbers do not make another error.
            let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
            for number in 0..<ClientErrorService.maximumGroupsFromAnyone {
                let word = "Error\(letters[number / 26])\(letters[number % 26])"
                let report = try ClientErrorReport(level: .error, app: .web, message: word, isAnonymous: true)
                _ = try await app.stores.write { try $0.record(report, on: day, limit: 1_000) }
            }
            #expect(try await app.post("/api/v1/client-errors", json: Self.report).status == .noContent)
            #expect(try await app.stores.clientErrors(isResolved: false, limit: 1_000).count == 100)
            #expect(try await app.post("/api/v1/client-errors", token: member, json: Self.report).status == .noContent)
            // All of them are in the list that an administrator sees.
            let shown = ClientErrorService.listLimit
            #expect(try await app.stores.clientErrors(isResolved: false, limit: shown).count == 101)
        }
    }

    @Test func `A crash is listed as one, with Swift's own stack`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("admin", role: .admin)
            let body = """
                {"app":"ios","level":"fatal","message":"","stack":"Vote.swift:42: Fatal error: Index out of range\\n\\n\
                0 level5() in Happiness at /Users/maria/Vote.swift:42:9","version":"2.1.0"}
                """
            #expect(try await app.post("/api/v1/client-errors", json: body).status == .noContent)
            let group = try #require(try await groups(app, app.token(of: admin)).first)
            #expect(group["level"] as? String == "fatal")
            #expect(
                (group["sample"] as? [String: Any])?["stack"] as? String
                    == "Vote.swift:42: Fatal error: Index out of range\n0 level5() in Happiness at Vote.swift:42:9")
            #expect(try await app.browser(of: admin).get("/admin/errors").text.contains(">Crash</span>"))
        }
    }

    @Test func `An invalid report is refused`() async throws {
        try await TestApp.with { app in
            let member = try await app.token(of: app.makeUser("maria"))
            let large = #"{"app":"web","message":""# + String(repeating: "x", count: 17_000) + #""}"#
            for (body, status) in [
                ("{}", 400), (#"{"app":"toaster","message":"x"}"#, 400), (#"{"app":"web","message":{"$ne":1}}"#, 400),
                (#"{"app":"web","message":" "}"#, 422), (large, 413),
            ] {
                expectRejection(try await app.post("/api/v1/client-errors", token: member, json: body), status)
            }
        }
    }

    @Test func `A page reports with its cookie and its form token`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            func report(_ token: String?) async throws -> TestResponse {
                var headers: HTTPFields = [
                    .cookie: browser.cookie, .contentType: "application/json",
                    .userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
                ]
                headers[.formToken] = token
                return try await app.send(
                    .post, "/api/v1/client-errors", headers: headers,
                    body: ByteBuffer(string: #"{"app":"web","message":"TypeError: x is null"}"#))
            }
            expectRejection(try await report(nil), 403)
            #expect(try await report(browser.formToken(on: "/settings")).status == .noContent)
            let group = try await app.stores.clientErrors(isResolved: false, limit: 1).first
            #expect(group?.sample.platform == "Firefox · Linux")
            #expect(group?.versions == [ProductVersion.current])
        }
    }

    /// A member's app fails whenever they vote: the list, the page and the log must not reveal when.
    @Test func `Reports from the page of a vote do not tell when someone votes`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 6)
            let admin = try await app.makeUser("admin", role: .admin)
            let browser = try await app.browser(of: admin)
            let token = try await app.token(of: admin)
            func fail(_ member: SignedInTeam.Member) async throws {
                let body = Self.report.replacing("in Vote", with: "at value 3: \\\"I am sad\\\"")
                #expect(
                    try await app.post("/api/v1/client-errors", token: member.token, json: body).status == .noContent)
            }
            try await fail(team.members[0])
            func everything() async throws -> [String] {
                [
                    try await app.get(Self.path, token: token).text, try await browser.get("/admin/errors").text,
                    try await browser.get("/admin/errors?state=resolved").text,
                ]
            }
            let before = try await everything()
            let sessions = try await app.stores.sessions(of: team.members[1].user.id, at: TestApp.now)
            let log = app.log.text
            for member in team.members.dropFirst() {
                _ = try await app.vote(member, in: team, 3, feedback: "I am sad")
                try await fail(member)
                app.clock.advance(by: 60)
            }
            #expect(app.log.text == log)
            #expect(try await everything() == before)
            #expect(
                try await app.stores.sessions(of: team.members[1].user.id, at: TestApp.now) == sessions)
            for text in try await everything() { #expect(!text.contains("sad") && !text.contains("value 3")) }
        }
    }

    @Test func `No report says who sent it`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("maria")
            let token = try await app.token(of: user)
            _ = try await app.post("/api/v1/client-errors", token: token, json: Self.report)
            let group = try #require(try await app.stores.clientErrors(isResolved: false, limit: 1).first)
            let kept = "\(group)"
            for trace in [user.id.description, user.name, user.email, token, "2026-01-25T"] {
                #expect(!kept.contains(trace))
            }
        }
    }
}
