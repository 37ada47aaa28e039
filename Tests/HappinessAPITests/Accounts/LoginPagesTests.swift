import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Logging in and out in a browser, and what its cookie allows.
@Suite struct LoginPagesTests {
    @Test func `The form logs the user in and leads to the team`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            expectPage(try await app.get("/login"), saying: "<h1>Log in</h1>")
            let browser = try await app.browser(of: team.lead.user)
            let start = try await browser.get("/")
            #expect(start.status == .seeOther && start.headers[.location] == team.pagePath)
            let again = try await browser.get("/login?next=/settings")
            #expect(again.status == .seeOther && again.headers[.location] == "/settings")
        }
    }

    @Test func `An administrator without a team starts in the administration`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("root", role: .admin)
            let browser = try await app.browser(of: admin)
            let start = try await browser.get("/")
            #expect(start.status == .seeOther && start.headers[.location] == "/admin")
            expectPage(try await browser.get("/admin/people"), saying: "<h1>People</h1>")
            let team = try await app.makeTeam()
            try await app.stores.add(Membership(teamID: team.id, userID: admin.id, role: .member))
            #expect(try await browser.get("/").headers[.location] == team.pagePath)
            let guest = try await app.browser(of: app.makeUser("guest", role: .guest))
            expectPage(try await guest.get("/"), saying: "not in a team")
        }
    }

    @Test(arguments: ["", "https://happiness.example.org"])
    func `The cookie is out of reach of scripts and other sites`(publicURL: String) async throws {
        let settings = publicURL.isEmpty ? [:] : ["PUBLIC_URL": publicURL]
        try await TestApp.with(settings: settings) { app in
            let user = try await app.makeUser("anna")
            let response = try await app.post("/login", form: "username=\(user.name)&password=purple%20lamp%209")
            let cookie = try #require(response.headers[.setCookie])
            let attributes = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"))
            #expect(attributes.contains("Path=/") && !cookie.contains("Domain"))
            #expect(attributes.contains { $0.hasPrefix("Max-Age=") })
            let isSecure = !publicURL.isEmpty
            #expect(attributes.contains("Secure") == isSecure)
            #expect(cookie.hasPrefix(isSecure ? "__Host-happiness=" : "happiness-8080="))
            #expect(response.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `A wrong password is reported and sets no cookie`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            for name in ["anna", "nobody"] {
                let response = try await app.post("/login", form: "username=\(name)&password=wrong&next=/settings")
                expectPage(response, 401, saying: "Wrong user name or password.")
                #expect(response.headers[.setCookie] == nil)
                #expect(response.text.contains(#"name="next" value="/settings""#), "where to go on is kept")
                #expect(response.text.contains(#"value="\#(name)""#) && !response.text.contains("wrong\""))
            }
        }
    }

    @Test(arguments: [("en", "Please allow cookies"), ("de", "Erlaube bitte Cookies")])
    func `A browser that keeps no cookies is told so, and gets no session`(language: String, words: String)
        async throws
    {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let address = "/login?language=\(language)"
            let page = try await app.get(address)
            #expect(page.headers[.setCookie] == "cookies-8080=1; Path=/; HttpOnly; SameSite=Lax")
            #expect(page.text.contains(#"name="cookies" value="asked""#) && !page.text.contains(words))
            let form = "username=anna&password=purple%20lamp%209&next=/settings&cookies=asked"
            let blocked = try await app.post(address, form: form)
            expectPage(blocked, 422, saying: words, language: language)
            #expect(blocked.text.contains(#"value="anna""#) && blocked.text.contains(#"value="/settings""#))
            let now = app.clock.now
            let sessions = try await app.stores.read { try $0.sessions(of: user.id, at: now) }
            #expect(sessions.isEmpty)

            // The answer has set a cookie, too: once cookies are allowed, the next try succeeds.
            let cookie = try #require(blocked.headers[.setCookie]?.split(separator: ";").first)
            let kept = try await app.send(
                .post, address,
                headers: [.contentType: "application/x-www-form-urlencoded", .cookie: String(cookie)],
                body: .init(string: form))
            #expect(kept.status == .seeOther && kept.headers[.location] == "/settings")
            #expect(try await app.get("/login", headers: [.cookie: "theme=dark"]).headers[.setCookie] == nil)
        }
    }

    @Test func `A form that comes without any cookie leads to a log-in that says why`() async throws {
        try await TestApp.with { app in
            let form = "application/x-www-form-urlencoded"
            let withoutCookie = try await app.post("/settings/theme", form: "theme=dark")
            #expect(withoutCookie.status == .seeOther)
            #expect(withoutCookie.headers[.location] == "/login?done=no-cookie")
            expectPage(try await app.get("/login?done=no-cookie"), saying: "Please allow cookies")
            let ended = try await app.send(
                .post, "/settings/theme", headers: [.contentType: form, .cookie: "happiness-8080=a"],
                body: .init(string: "theme=dark"))
            #expect(ended.headers[.location] == "/login", "the session has ended, and cookies work")
            let loggedOut = try await app.get("/login?done=log-out")
            #expect(!loggedOut.text.contains("allow cookies"))
        }
    }

    @Test func `A user who is not logged in goes to the log-in and comes back`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let response = try await app.get("\(team.votePath)?language=de")
            #expect(response.status == .seeOther)
            let logIn = try #require(response.headers[.location])
            let next = try #require(URLComponents(string: logIn)?.queryItems?.first { $0.name == "next" }?.value)
            #expect(logIn.hasPrefix("/login?") && next == "\(team.votePath)?language=de")
            let form = "username=blue0&password=purple%20lamp%209&next=\(team.votePath)"
            #expect(try await app.post("/login", form: form).headers[.location] == team.votePath)
        }
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)",
        "/%09/evil.example", "evil.example/", "",
    ])
    func `The redirect never leads to another site`(next: String) async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let encoded = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let response = try await app.post(
                "/login", form: "username=anna&password=purple%20lamp%209&next=\(encoded)")
            let location = try #require(response.headers[.location])
            // Percent-encoded characters are kept, and are a path.
            #expect(location == "/" || location == "/%09/evil.example")
        }
    }

    @Test func `Another site's form logs nobody in`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let response = try await app.send(
                .post, "/login",
                headers: [.contentType: "application/x-www-form-urlencoded", .secFetchSite: "cross-site"],
                body: .init(string: "username=anna&password=purple%20lamp%209"))
            #expect(response.status == .forbidden && response.headers[.setCookie] == nil)
        }
    }

    @Test func `Logging out takes the form's token`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let browser = try await app.browser(of: team.lead.user)
            let other = try await app.browser(of: team.members[1].user)
            let foreign = try await other.formToken(on: team.pagePath)
            for form in ["", "formToken=", "formToken=abc", "formToken=\(foreign)"] {
                let refused = try await browser.post("/logout", form: form)
                expectPage(refused, 403, saying: "This form is out of date.")
            }
            #expect(try await browser.get(team.pagePath).status == .ok)

            let token = try await browser.formToken(on: team.pagePath)
            let response = try await browser.post("/logout", form: "formToken=\(token)")
            #expect(response.status == .seeOther && response.headers[.location] == "/login?done=log-out")
            #expect(response.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(response.headers[.clearSiteData] == #""cache""#, "ballot keys and unsent sealed votes stay")
            #expect(try await browser.get(team.pagePath).status == .seeOther, "the session is over")
            let after = try await app.get("/login?done=log-out").text
            #expect(after.contains("/forget-user.js\"") && after.contains("data-forget-user"))
            let expired = try await app.get("/login").text
            #expect(!expired.contains("forget-user"), "a session that has expired deletes nothing")
        }
    }

    @Test func `A page of 0.1.0 logs out`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let token = try await browser.formToken(on: team.pagePath)
            let response = try await browser.post("/logout", form: "formToken=\(token)&keepsVotes=yes")
            #expect(response.status == .seeOther)
        }
    }

    /// They share the storage with us.
    @Test func `Logging out below a path leaves the storage to other services on the host`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org/mood"]) { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let token = try await browser.formToken(on: "/mood\(team.pagePath)")
            let response = try await browser.post("/mood/logout", form: "formToken=\(token)")
            #expect(response.status == .seeOther && response.headers[.location] == "/mood/login?done=log-out")
            #expect(response.headers[.clearSiteData] == nil)
        }
    }

    @Test func `A script needs the token for whatever changes something`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            #expect(try await browser.get("\(team.path)/sprints/current").status == .ok)
            let path = "\(team.path)/sprints/2026/2/ballots"
            var headers: HTTPFields = [.cookie: browser.cookie, .contentType: "application/json"]
            let body = ByteBuffer(string: #"{"happiness":7}"#)
            expectRejection(try await app.send(.post, path, headers: headers, body: body), 403)
            headers[.formToken] = "abc"
            expectRejection(try await app.send(.post, path, headers: headers, body: body), 403)
            headers[.formToken] = try await browser.formToken(on: team.pagePath)
            #expect(try await app.send(.post, path, headers: headers, body: body).status == .created)
        }
    }
}

/// The cookie and the addresses alone.
@Suite struct BrowserCookieTests {
    private static let cookie = BrowserCookie(scope: CookieScope(publicURL: "http://localhost:8080"))

    @Test func `The token is found among other cookies`() {
        #expect(Self.cookie.token(in: [.cookie: "theme=dark; happiness=a.b.c; x=y"]) == "a.b.c")
        var twoLines = HTTPFields()
        twoLines.append(HTTPField(name: .cookie, value: "theme=dark"))
        twoLines.append(HTTPField(name: .cookie, value: "happiness=a.b.c"))
        #expect(Self.cookie.token(in: twoLines) == "a.b.c")
        #expect(Self.cookie.token(in: [.cookie: "happiness-8080=new; happiness=a.b.c"]) == "new")
        #expect(Self.cookie.token(in: [.cookie: "happiness-8081=other; happiness-8080=new"]) == "new")
    }

    /// The last column is the name in version 0.1.0.
    @Test(
        arguments: [
            ("http://localhost:8080", "happiness-8080", "happiness"),
            ("http://localhost:80", "happiness", nil), ("http://localhost", "happiness", nil),
            ("https://example.org", "__Host-happiness", nil), ("https://example.org:443", "__Host-happiness", nil),
            ("https://example.org:8443", "__Host-happiness-8443", "__Host-happiness"),
            ("https://example.org/mood", "__Secure-happiness+mood", nil),
            ("https://example.org:8443/a/b", "__Secure-happiness-8443+a+b", nil),
            ("http://example.org/a-b", "happiness+a-b", nil),
        ] as [(String, String, String?)])
    func `Installations on one host have cookies of different names`(url: String, name: String, former: String?) {
        let scope = CookieScope(publicURL: url)
        #expect(scope.name("happiness") == name)
        #expect(scope.formerName("happiness") == former)
    }

    @Test(arguments: [
        "", "happiness=", "unhappiness=a", "Happiness=a", "happiness=a; happiness=b", "happiness", "happiness-8081=a",
        "happiness-8080=; happiness=a", "happiness-8080=a; happiness-8080=b; happiness=c",
    ])
    func `Nothing else is a token`(header: String) {
        #expect(Self.cookie.token(in: [.cookie: header]) == nil)
    }

    @Test(arguments: ["/", "/teams/1/vote?language=de", "/a#b", "/a..b/...", "/a?b=.."])
    func `A path of the app is kept`(text: String) {
        #expect(SitePath(sent: text).path == text)
    }

    @Test(arguments: [
        nil, "", "a", "//a", "/\\a", "\\a", "http:/a", " /a", "/a b", "/a\n", "/\u{e4}", "/\t/a", "/..", "/a/../b",
        "/a/%2E./b?c",
        "/" + String(repeating: "a", count: 2_000),
    ])
    func `Any other path becomes the start page`(text: String?) {
        #expect(SitePath(sent: text) == .start)
    }
}
