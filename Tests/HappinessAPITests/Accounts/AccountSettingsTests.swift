import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The forms for password, e-mail address, sessions and account deletion.
@Suite struct AccountSettingsTests {
    private static let password = "purple%20lamp%209"

    @Test func `A new password needs the old one and ends all other sessions`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let other = try await app.browser(of: anna)
            let token = try await browser.formToken(on: "/settings/password")
            func change(_ current: String, _ password: String, _ again: String) async throws -> TestResponse {
                try await browser.post(
                    "/settings/password",
                    form: "formToken=\(token)&current=\(current)&password=\(password)&repeat=\(again)")
            }
            expectPage(try await change("", "green%20door%2012", "green%20door%2012"), 422, saying: "all three")
            expectPage(try await change(Self.password, "green%20door%2012", "green"), 422, saying: "don’t match")
            expectPage(
                try await change("wrong", "green%20door%2012", "green%20door%2012"), 403, saying: "Wrong password")
            expectPage(try await change(Self.password, "short", "short"), 422, saying: "too short")
            #expect(try await other.get("/settings").status == .ok)
            let response = try await change(Self.password, "green%20door%2012", "green%20door%2012")
            #expect(response.headers[.location] == "/settings?done=password", "\(response.classic)")
            expectPage(try await browser.get("/settings?done=password"), saying: "Password changed")
            #expect(try await other.get("/settings").status == .seeOther)
            #expect(try await app.logIn("anna", "green door 12") == 200)
        }
    }

    @Test func `A new address waits until its link is used`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: "/settings/email")
            func change(_ email: String, _ password: String) async throws -> TestResponse {
                try await browser.post(
                    "/settings/email", form: "formToken=\(token)&email=\(email)&password=\(password)")
            }
            expectPage(try await change("nonsense", Self.password), 422, saying: "value=\"nonsense\"")
            expectPage(try await change("anna@new.example", "wrong"), 403, saying: "value=\"anna@new.example\"")
            expectPage(try await change("anna@example.org", Self.password), 422, saying: "already your e-mail address")
            #expect(try await app.stores.user(anna.id) == anna)
            let response = try await change("anna@new.example", Self.password)
            #expect(response.headers[.location] == "/settings/email?done=email", "\(response.classic)")
            for path in ["/settings", "/settings/email"] {
                expectPage(try await browser.get(path), saying: "anna@new.example")
            }
            #expect(try await app.stores.user(anna.id)?.email == "anna@example.org")
            #expect(try await app.mails(.emailChange).count == 1)
        }
    }

    @Test func `Sessions are listed, and ended one by one or all others at once`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            expectPage(try await browser.get("/settings/sessions"), saying: "not logged in anywhere else")
            let second = try await app.browser(of: anna)
            let third = try await app.browser(of: anna)
            let page = try await browser.get("/settings/sessions")
            expectPage(page, saying: "<time datetime=\"2026-01-25\">today</time>")
            let ids = page.text.matches(of: /name="session" value="([0-9a-f]{32})"/).map { String($0.output.1) }
            #expect(ids.count == 2)
            let token = try await browser.formToken(on: "/settings/sessions")
            let end = try await browser.post(
                "/settings/sessions/end", form: "formToken=\(token)&session=\(try #require(ids.first))")
            #expect(end.headers[.location] == "/settings/sessions?done=session-ended")
            let left = [try await second.get("/settings").status, try await third.get("/settings").status]
            #expect(left.filter { $0 == .ok }.count == 1)
            let all = try await browser.post("/settings/sessions/end-others", form: "formToken=\(token)")
            #expect(all.headers[.location] == "/settings/sessions?done=sessions-ended")
            #expect(try await second.get("/settings").status == .seeOther)
            #expect(try await third.get("/settings").status == .seeOther)
            #expect(try await browser.get("/settings").status == .ok)
        }
    }

    @Test func `Another user's session cannot be ended`() async throws {
        try await TestApp.with { app in
            let bert = try await app.makeUser("bert")
            let other = try await app.browser(of: bert)
            let session = try #require(
                try await app.stores.sessions(of: bert.id, at: app.clock.now).first?.id)
            let browser = try await app.browser(of: app.makeUser("anna"))
            let token = try await browser.formToken(on: "/settings/sessions")
            for id in [session.description, "x"] {
                let response = try await browser.post(
                    "/settings/sessions/end", form: "formToken=\(token)&session=\(id)")
                expectPage(response, 404, saying: "already logged out")
            }
            #expect(try await other.get("/settings").status == .ok)
        }
    }

    @Test func `An account is deleted after a question, and with its password`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("boss", role: .admin)
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let page = try await browser.get("/settings/delete")
            expectPage(page, saying: "Kept")
            let token = try await browser.formToken(on: "/settings/delete")
            let path = "/settings/delete"
            expectPage(
                try await browser.post(path, form: "formToken=\(token)&password=wrong"), 403, saying: "Wrong password")
            expectPage(try await browser.post(path, form: "formToken=\(token)"), 400, saying: "role=\"alert\"")
            #expect(try await app.stores.user(anna.id) == anna)
            let response = try await browser.post(path, form: "formToken=\(token)&password=\(Self.password)")
            expectPage(response, saying: "Account deleted")
            #expect(response.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(response.headers[.clearSiteData] == #""cache""#, "ballot keys and unsent sealed votes stay")
            #expect(response.text.contains("/forget-user.js\""), "its script deletes what is the user's")
            #expect(try await app.stores.user(anna.id) == nil)
            #expect(try await browser.get("/settings").status == .seeOther)
        }
    }

    @Test func `Deleting an account below a path leaves the storage to other services on the host`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org/mood"]) { app in
            _ = try await app.makeUser("boss", role: .admin)
            let browser = try await app.browser(of: app.makeUser("anna"))
            let token = try await browser.formToken(on: "/mood/settings/delete")
            let response = try await browser.post(
                "/mood/settings/delete", form: "formToken=\(token)&password=\(Self.password)")
            expectPage(response, saying: "Account deleted")
            #expect(response.headers[.clearSiteData] == nil)
            #expect(response.text.contains("/forget-user.js\""), "its script deletes what is ours")
        }
    }

    @Test func `The only administrator is told what to do first`() async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: app.makeUser("boss", role: .admin))
            let token = try await browser.formToken(on: "/settings/delete")
            let response = try await browser.post(
                "/settings/delete", form: "formToken=\(token)&password=\(Self.password)")
            expectPage(response, 409, saying: "the only admin")
        }
    }

    @Test(arguments: [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 "
                + "Safari/537.36 Edg/130.0", "Edge · Windows"
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox · Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                + "Version/17.5 Mobile/15E148 Safari/604.1", "Safari · iPhone"
        ),
        (
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile "
                + "Safari/537.36", "Chrome · Android"
        ),
        ("Happiness/2.1 (Chrome/1)", "Happiness/2.1 (Chrome/1)"), ("", ""),
    ])
    func `A device is called what its owner calls it`(userAgent: String, name: String) {
        #expect(DeviceName(userAgent: userAgent).text == name)
    }
}
