import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Browser login through an OpenID provider: from the button to the requested page.
@Suite struct BrowserSingleSignOnTests {
    /// The destination of the login page's button for `company`.
    private static func button(on page: TestResponse) throws -> String {
        let match = try #require(page.text.firstMatch(of: /href="(\/login\/company[^"]*)"/))
        return String(match.output.1).replacing("&amp;", with: "&").replacing("&#38;", with: "&")
    }

    /// The cookie with which a response logs a browser in.
    private static func cookie(_ response: TestResponse) -> String? {
        response.headers[values: .setCookie].first { $0.hasPrefix("happiness-8080=") }
    }

    @Test func `The button logs the user in and leads where they wanted to go`() async throws {
        try await SingleSignOnFixture.with { fixture in
            fixture.provider.change { $0.edit = { $0["locale"] = nil } }
            let page = try await fixture.app.get("/login?next=/settings%3Fdone%3Dtheme&language=de")
            let start = try Self.button(on: page)
            let visit = try await SingleSignOnVisit(fixture.app, query: String(start.dropFirst("/login/company".count)))
            let response = try await visit.comeBack(
                "/login/company/callback?\(try fixture.provider.logIn(at: visit.location))")
            #expect(response.status == .seeOther)
            #expect(response.headers[.location] == "/settings?done=theme")
            #expect(response.headers[.cacheControl] == "no-store")
            let cookie = try #require(Self.cookie(response))
            #expect(cookie.contains("; Path=/; HttpOnly; SameSite=Lax"))
            let ending = "\(visit.cookieName)=; Max-Age=0"
            let isOver = response.headers[values: .setCookie].contains { $0.hasPrefix(ending) }
            #expect(isOver, "the attempt is over")
            #expect(!response.text.contains("eyJ") && response.code == nil)

            let token = try #require(cookie.split(separator: ";").first)
            let browser = Browser(app: fixture.app, cookie: String(token))
            expectPage(try await fixture.app.get("/settings", headers: [.cookie: browser.cookie]))
            let user = try #require(try await fixture.app.stores.user(login: "ada"))
            #expect(user.language == .seen(.german), "mails are in the language of the page")
        }
    }

    @Test func `Its session lasts and is protected like one with a password`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let user = try await fixture.app.makeUser("ada")
            let byPassword = try await fixture.app.post("/login", form: "username=ada&password=purple%20lamp%209")
            let byProvider = try await fixture.logIn(query: "?format=browser")
            func attributes(_ cookie: String?) -> [String] {
                (cookie ?? "").split(separator: ";").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
            }
            #expect(attributes(Self.cookie(byPassword)) == attributes(Self.cookie(byProvider)))
            let sessions = try await fixture.app.stores.sessions(of: user.id, at: .distantPast)
            #expect(sessions.count == 2 && sessions[0].expires == sessions[1].expires)
            let token = try #require(Self.cookie(byProvider)?.split(separator: ";").first)
            let browser = Browser(app: fixture.app, cookie: String(token))
            expectPage(try await browser.post("/logout", form: "formToken=x"), 403)
        }
    }

    @Test(arguments: ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""])
    func `The redirect never leads to another site`(next: String) async throws {
        try await SingleSignOnFixture.with { fixture in
            let encoded = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let response = try await fixture.logIn(query: "?format=browser&next=\(encoded)")
            #expect(response.headers[.location] == "/")
        }
    }

    @Test func `The callback logs in once, and only the browser that began`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let mine = try await SingleSignOnVisit(fixture.app, query: "?format=browser")
            let other = try await SingleSignOnVisit(fixture.app, query: "?format=browser")
            let callback = "/login/company/callback?\(try fixture.provider.logIn(at: mine.location))"
            for refused in [try await other.comeBack(callback), try await fixture.app.get(callback)] {
                expectPage(refused, 422, saying: "wasn’t started in this browser")
                #expect(Self.cookie(refused) == nil)
            }
            #expect(Self.cookie(try await mine.comeBack(callback)) != nil)
            let again = try await mine.comeBack(callback)
            expectPage(again, 422, saying: "already finished")
            #expect(Self.cookie(again) == nil)
        }
    }

    @Test func `Of two tabs of one browser, each gets in and continues with its own page`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let first = try await SingleSignOnVisit(fixture.app, query: "?format=browser&next=/settings")
            let second = try await SingleSignOnVisit(fixture.app, query: "?format=browser&next=/help")
            let both = "\(first.cookie); \(second.cookie)"
            let callbacks = try [first, second].map {
                "/login/company/callback?\(try fixture.provider.logIn(at: $0.location))"
            }
            let early = try await fixture.app.get(callbacks[0], headers: [.cookie: both])
            #expect(early.headers[.location] == "/settings")
            #expect(Self.cookie(early) != nil)
            let ended = early.headers[values: .setCookie].filter { $0.contains("=; Max-Age=0") }
            #expect(ended.count == 1 && ended.first?.hasPrefix(first.cookieName) == true)
            let late = try await fixture.app.get(callbacks[1], headers: [.cookie: second.cookie])
            #expect(late.headers[.location] == "/help")
            #expect(Self.cookie(late) != nil)
        }
    }

    @Test func `A browser keeps its five latest attempts`() async throws {
        try await SingleSignOnFixture.with { fixture in
            var visits: [SingleSignOnVisit] = []
            for _ in 0..<5 {
                visits.append(try await SingleSignOnVisit(fixture.app))
                fixture.app.clock.advance(by: 1)
            }
            let cookies = visits.map(\.cookie).shuffled().joined(separator: "; ")
            let sixth = try await fixture.app.get("/login/company", headers: [.cookie: "sign-on-8080.x=y; \(cookies)"])
            let ended = sixth.headers[values: .setCookie].filter { $0.contains("=; Max-Age=0") }
            #expect(ended.count == 1 && ended.first?.hasPrefix(visits[0].cookieName) == true, "\(ended)")
        }
    }

    /// The server would read none of them.
    @Test func `Attempts with long pages do not make a browser's requests too long`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let query = "?format=browser&next=/" + String(repeating: "a", count: 1_900)
            let first = try await SingleSignOnVisit(fixture.app, query: query)
            fixture.app.clock.advance(by: 1)
            let second = try await SingleSignOnVisit(fixture.app, query: query)
            let third = try await fixture.app.get(
                "/login/company\(query)", headers: [.cookie: "\(first.cookie); \(second.cookie)"])
            let ended = third.headers[values: .setCookie].filter { $0.contains("=; Max-Age=0") }
            #expect(ended.count == 1 && ended.first?.hasPrefix(first.cookieName) == true, "\(ended.count)")
        }
    }

    @Test func `A user who cancels or has no account returns to the log-in page`() async throws {
        try await SingleSignOnFixture.with(settings: ["OIDC_COMPANY_CREATE": ""]) { fixture in
            let visit = try await SingleSignOnVisit(fixture.app, query: "?format=browser&next=/settings&language=de")
            let state = try #require(visit.state)
            let cancelled = try await visit.comeBack("/login/company/callback?error=access_denied&state=\(state)")
            expectPage(cancelled, 403, saying: "abgebrochen", language: "de")
            #expect(cancelled.text.contains(#"href="/login?next=/settings""#))
            #expect(Self.cookie(cancelled) == nil)

            let stranger = try await fixture.logIn(query: "?format=browser")
            expectPage(stranger, 403, saying: "no account with your e-mail address")
            #expect(stranger.text.contains(#"href="/login?next=/""#))
        }
    }

    @Test func `A user whose account keeps another address is told so, and logged in`() async throws {
        try await SingleSignOnFixture.with { fixture in
            expectPage(try await fixture.logIn())
            _ = try await fixture.app.makeUser("bob")
            fixture.provider.change { $0.edit = { $0["email"] = "bob@example.org" } }
            let forApp = try await fixture.logIn()
            expectPage(forApp, saying: "your account here keeps ada@example.org")
            #expect(forApp.code != nil)
            let response = try await fixture.logIn(query: "?format=browser&next=/settings&language=de")
            expectPage(response, saying: "dein Konto hier behält ada@example.org", language: "de")
            #expect(response.text.contains(#"href="/settings""#))
            #expect(Self.cookie(response) != nil)
        }
    }

    @Test func `A user whose cookie has expired returns to the log-in page`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let visit = try await SingleSignOnVisit(fixture.app, query: "?format=browser")
            let response = try await fixture.app.get(
                "/login/company/callback?\(try fixture.provider.logIn(at: visit.location))")
            expectPage(response, 422)
            #expect(response.text.contains(#"href="/login""#))
        }
    }

    @Test(.thorough) func `An unreachable provider leads back to the log-in page`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let response = try await fixture.app.get("/login/second?format=browser&next=/settings")
            expectPage(response, 503, saying: "can’t be reached")
            #expect(response.text.contains(#"href="/login?next=/settings""#))
        }
    }
}
