import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// A browser in use stays logged in, and nothing on the server reveals that it was used.
@Suite struct BrowserRenewalTests {
    private static func renewed(_ response: TestResponse) -> String? {
        response.headers[values: .setCookie].first { $0.hasPrefix("happiness-8080=") }
    }

    @Test func `A page renews the cookie once a day`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            for path in ["/", team.pagePath, "/settings"] {
                #expect(Self.renewed(try await browser.get(path)) == nil, "\(path): it is today's")
            }
            app.clock.advance(by: 86_400)
            for path in ["/", team.pagePath, "\(team.pagePath)/history", "/settings"] {
                let cookie = try #require(Self.renewed(try await browser.get(path)), "\(path)")
                #expect(cookie.contains("; Path=/; HttpOnly; SameSite=Lax"))
                let next = Browser(app: app, cookie: String(try #require(cookie.split(separator: ";").first)))
                #expect(Self.renewed(try await next.get(path)) == nil)
            }
        }
    }

    @Test func `A browser that is used stays logged in for a year`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            var browser = try await app.browser(of: team.lead.user)
            for _ in 0..<6 {
                app.clock.advance(by: 59 * 86_400)
                let response = try await browser.get(team.pagePath)
                #expect(response.status == .ok)
                let cookie = try #require(Self.renewed(response)?.split(separator: ";").first)
                browser = Browser(app: app, cookie: String(cookie))
            }
            app.clock.advance(by: 59 * 86_400)
            #expect(try await browser.get(team.pagePath).status == .seeOther, "however much it is used")
        }
    }

    @Test func `A browser that is not used is logged out after two months`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            app.clock.advance(by: 62 * 86_400)
            #expect(try await browser.get(team.pagePath).status == .seeOther)
        }
    }

    @Test func `The pages of a vote renew nothing`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            app.clock.advance(by: 86_400)
            #expect(Self.renewed(try await browser.get(team.votePath)) == nil)
            let token = try await browser.formToken(on: team.votePath)
            let vote = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=")
            #expect(vote.status == .seeOther && Self.renewed(vote) == nil)
        }
    }

    @Test func `A renewal leaves no trace in the store`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            func sessions() async throws -> [Session] {
                try await app.stores.sessions(of: team.lead.user.id, at: .distantPast)
            }
            let before = try await sessions()
            app.clock.advance(by: 3 * 86_400)
            for path in ["/", team.pagePath, "\(team.pagePath)/history"] {
                #expect(Self.renewed(try await browser.get(path)) != nil)
            }
            #expect(try await sessions() == before)
        }
    }

    @Test func `A renewed cookie contains no time of day`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            app.clock.advance(by: 86_400)
            func times() async throws -> [Int] {
                let cookie = try #require(Self.renewed(try await browser.get(team.pagePath)))
                let payload = try #require(cookie.split(separator: ".").dropFirst().first)
                let bytes = try #require([UInt8](base64URL: payload))
                let claims = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
                return ["iat", "exp"].compactMap { claims?[$0] as? Int }
            }
            let first = try await times()
            #expect(first.count == 2 && first.allSatisfy { $0.isMultiple(of: 86_400) })
            app.clock.advance(by: 3_600)
            #expect(try await times() == first)
        }
    }

    @Test func `An app's token in a cookie is not renewed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let body = #"{"username":"blue0","password":"purple lamp 9"}"#
            let short = try await app.post("/api/v1/auth/login", json: body).object["accessToken"] as? String
            let classic = try await app.token(of: team.lead.user)
            for token in [try #require(short), classic] {
                let browser = Browser(app: app, cookie: "happiness-8080=\(token)")
                let response = try await browser.get(team.pagePath)
                #expect(response.status == .ok && Self.renewed(response) == nil)
            }
            app.clock.advance(by: 86_400)
            let response = try await Browser(app: app, cookie: "happiness-8080=\(classic)").get(team.pagePath)
            #expect(response.status == .ok && Self.renewed(response) == nil)
        }
    }

    @Test func `A log-out is not undone by a renewal`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            app.clock.advance(by: 86_400)
            let token = try await browser.formToken(on: team.pagePath)
            let response = try await browser.post("/logout", form: "formToken=\(token)")
            let cookies = response.headers[values: .setCookie]
            #expect(cookies.count == 1 && cookies[0].hasPrefix("happiness-8080=; Max-Age=0"))
        }
    }

    @Test func `A log-in of version 0.1.0 moves to the cookie of this address`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let now = try await app.browser(of: team.lead.user)
            let before = Browser(app: app, cookie: now.cookie.replacing("happiness-8080=", with: "happiness="))
            // The pages of a vote leave it to others.
            let vote = try await before.get(team.votePath)
            #expect(vote.status == .ok && vote.headers[values: .setCookie].isEmpty)
            for days in 0...1 {
                app.clock.advance(by: Double(days) * 86_400)
                let response = try await before.get(team.pagePath)
                #expect(response.status == .ok)
                let moved = try #require(Self.renewed(response)?.split(separator: ";").first.map(String.init))
                #expect((moved == now.cookie) == (days == 0), "a later token is due after a day")
                #expect(response.headers[values: .setCookie].count == 2)
                #expect(response.headers[values: .setCookie].last?.hasPrefix("happiness=; Max-Age=0; Path=/;") == true)
                let settings = try await Browser(app: app, cookie: moved).get("/settings")
                #expect(settings.status == .ok && settings.headers[values: .setCookie].isEmpty)
            }
        }
    }

    @Test func `A log-out ends the cookie of version 0.1.0 too`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let now = try await app.browser(of: team.lead.user)
            let former = try await app.browser(of: team.lead.user).cookie
                .replacing("happiness-8080=", with: "happiness=")
            for cookie in ["\(now.cookie); \(former)", former] {
                let browser = Browser(app: app, cookie: cookie)
                let token = try await browser.formToken(on: team.pagePath)
                let ended = try await browser.post("/logout", form: "formToken=\(token)").headers[values: .setCookie]
                #expect(ended.map { $0.prefix { $0 != ";" } } == ["happiness-8080=", "happiness="])
                #expect(ended.allSatisfy { $0.contains("; Max-Age=0;") })
            }
        }
    }

    @Test func `Two installations on one host leave each other's log-ins alone`() async throws {
        try await TestApp.with { one in
            try await TestApp.with(settings: ["PUBLIC_URL": "http://localhost:8081"]) { other in
                let (team, otherTeam) = (try await one.makeTeam(), try await other.makeTeam())
                let browsers = (
                    try await one.browser(of: team.lead.user), try await other.browser(of: otherTeam.lead.user)
                )
                #expect(browsers.1.cookie.hasPrefix("happiness-8081="))
                // The other one was logged in to while it was of version 0.1.0, too.
                let former = browsers.1.cookie.replacing("happiness-8081=", with: "happiness=")
                let cookies = "\(browsers.0.cookie); \(browsers.1.cookie); \(former)"
                let here = Browser(app: one, cookie: cookies)
                let there = Browser(app: other, cookie: cookies)
                #expect(try await there.get("/settings").status == .ok)
                let token = try await here.formToken(on: team.pagePath)
                let ended = try await here.post("/logout", form: "formToken=\(token)").headers[values: .setCookie]
                #expect(ended.count == 1 && ended[0].hasPrefix("happiness-8080=; Max-Age=0"))
                #expect(try await there.get("/settings").status == .ok)
                // Without a cookie of its own, it does not take the other's for one.
                let stranger = Browser(app: one, cookie: former)
                #expect(try await stranger.get("/settings").status == .seeOther)
            }
        }
    }
}
