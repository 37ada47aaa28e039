import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Product
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The overview of the settings and its one-click forms.
@Suite struct SettingsPagesTests {
    /// All forms of the settings with fields that would be accepted, without the token.
    private static let forms = [
        ("/settings/language", "language=de"), ("/settings/theme", "theme=dark"), ("/settings/team", "team=x"),
        ("/settings/picture/remove", ""), ("/settings/password", "current=a&password=b&repeat=b"),
        ("/own-password", "current=a&password=b&repeat=b"),
        ("/settings/email", "email=a@example.org&password=b"), ("/settings/sessions/end", "session=x"),
        ("/settings/sessions/end-others", ""), ("/settings/notifications", "push=on"),
        ("/settings/absences", "first=2026-03-01&last=2026-03-02"),
        ("/settings/absences/remove", "first=2026-03-01&last=2026-03-02"), ("/settings/delete", "password=b"),
    ]

    @Test(arguments: forms)
    func `A form without its token is refused`(path: String, fields: String) async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let bert = try await app.browser(of: app.makeUser("bert"))
            let foreign = try await bert.formToken(on: "/settings")
            #expect(!foreign.isEmpty)
            for token in ["", "&formToken=", "&formToken=x", "&formToken=\(foreign)"] {
                expectPage(try await browser.post(path, form: fields + token), 403, saying: "out of date")
            }
            #expect(try await app.stores.user(anna.id) == anna)
            let stranger = try await app.post(path, form: fields)
            #expect(stranger.status == .seeOther && stranger.headers[.location]?.hasPrefix("/login") == true)
        }
    }

    @Test(arguments: [
        "", "/picture", "/password", "/email", "/sessions", "/notifications", "/delete",
    ])
    func `Every page belongs to the user who is logged in`(page: String) async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            expectPage(try await browser.get("/settings\(page)"), saying: "anna")
            expectPage(try await browser.get("/settings\(page)?done=nonsense"))
            let stranger = try await app.get("/settings\(page)")
            #expect(stranger.status == .seeOther)
            #expect(stranger.headers[.location] == "/login?next=/settings\(page)")
        }
    }

    @Test func `The language is saved with the account`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: "/settings")
            let response = try await browser.post("/settings/language", form: "formToken=\(token)&language=de")
            #expect(response.status == .seeOther && response.headers[.location] == "/settings?done=language")
            expectPage(
                try await browser.get("/settings?done=language"), saying: "Sprache geändert.", language: "de")
            #expect(try await app.stores.user(anna.id)?.locale == "de")
            let unknown = try await browser.post("/settings/language", form: "formToken=\(token)&language=fr")
            expectPage(unknown, 422, saying: "role=\"alert\"", language: "de")
        }
    }

    @Test func `The theme is only in the browser, and in the page from its first byte`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: "/settings")
            #expect(try await browser.get("/settings").text.contains("<html lang=\"en\">"))
            let response = try await browser.post("/settings/theme", form: "formToken=\(token)&theme=dark")
            #expect(response.headers[.location] == "/settings?done=theme")
            #expect(response.headers[.setCookie] == "theme=dark; Max-Age=31536000; Path=/; SameSite=Lax")
            for path in ["/settings", "/login"] {
                let page = try await app.get(
                    path, headers: [.cookie: path == "/login" ? "theme=dark" : "\(browser.cookie); theme=dark"])
                #expect(page.text.contains("<html lang=\"en\" data-theme=\"dark\">"), "\(path)")
            }
            let hostile = try await app.get("/login", headers: [.cookie: "theme=\"><script>"])
            #expect(hostile.text.contains("<html lang=\"en\">"))
            let back = try await browser.post("/settings/theme", form: "formToken=\(token)&theme=system")
            #expect(back.headers[.setCookie] == "theme=; Max-Age=0; Path=/; SameSite=Lax")
            expectPage(try await browser.post("/settings/theme", form: "formToken=\(token)&theme=red"), 400)
            #expect(try await app.stores.user(anna.id) == anna)
        }
    }

    @Test func `A member of several teams chooses the one that opens first`() async throws {
        try await TestApp.with { app in
            let blue = try await app.makeTeam("Blue")
            let red = try await app.makeTeam("Red")
            let green = try await app.makeTeam("Green")
            let anna = blue.lead.user
            let browser = try await app.browser(of: anna)
            #expect(try await !browser.get("/settings").text.contains("action=\"/settings/team\""))
            try await app.stores.add(Membership(teamID: red.id, userID: anna.id, role: .member))
            let token = try await browser.formToken(on: "/settings")
            let response = try await browser.post("/settings/team", form: "formToken=\(token)&team=\(red.id)")
            #expect(response.headers[.location] == "/settings?done=team")
            expectPage(try await browser.get("/settings"), saying: "<option value=\"\(red.id)\" selected>Red</option>")
            for team in [green.id.description, "x"] {
                let refused = try await browser.post("/settings/team", form: "formToken=\(token)&team=\(team)")
                expectPage(refused, 404, saying: "This team doesn’t exist")
            }
            #expect(try await app.stores.user(anna.id)?.defaultTeamID == red.id)
        }
    }

    @Test func `The version is that of the API's description`() async throws {
        try await TestApp.with { app in
            let description = try await app.get("/openapi.yaml").text
            #expect(description.contains("\n  version: \(ProductVersion.current)\n"))
            let browser = try await app.browser(of: app.makeUser("anna"))
            expectPage(try await browser.get("/settings"), saying: "version \(ProductVersion.current)")
        }
    }

    @Test func `The export is a link that a browser can follow`() async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            expectPage(try await browser.get("/settings"), saying: "href=\"/api/v1/me/export\" download")
            let file = try await browser.get("/api/v1/me/export")
            #expect(file.status == .ok && file.headers[.contentDisposition]?.hasPrefix("attachment") == true)
        }
    }
}
