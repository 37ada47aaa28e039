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

/// The language of pages for a user.
@Suite struct PageLanguageTests {
    @Test func `A user without a language sees their browser's and gets mails in it`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let browser = try await app.browser(of: user)
            let german: HTTPFields = [.cookie: browser.cookie, .acceptLanguage: "de-AT,en;q=0.5"]
            expectPage(try await app.get("/settings", headers: german), language: "de")
            let settings = try await app.get("/settings", headers: german).text
            #expect(settings.contains("aria-pressed=\"true\">Wie im Browser</button>"))
            expectPage(try await browser.get("/settings"))

            let logIn = try await app.send(
                .post, "/login",
                headers: [.contentType: "application/x-www-form-urlencoded", .acceptLanguage: "de"],
                body: .init(string: "username=anna&password=purple%20lamp%209"))
            #expect(logIn.status == .seeOther)
            #expect(try await app.stores.user(user.id)?.language == .seen(.german))
            let me = try await app.get("/api/v1/me", token: try await app.token(of: user))
            #expect(me.object["locale"] as? String == "de")
            expectPage(try await browser.get("/settings"), language: "en")
        }
    }

    @Test func `A user whose language cannot be saved is logged in all the same`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await TestApp.with(stores: stores) { _ = try await $0.makeUser("anna") }
            let user = try #require(try await stores.user(login: "anna"))
            // The first transaction begins the session, the second one saves the language.
            let refusing = stores.replacing(rows: FailingStore(stores.rows, afterTransactions: 1))
            try await TestApp.with(stores: refusing) { app in
                let logIn = try await app.send(
                    .post, "/login",
                    headers: [.contentType: "application/x-www-form-urlencoded", .acceptLanguage: "de"],
                    body: .init(string: "username=anna&password=purple%20lamp%209"))
                #expect(logIn.status == .seeOther)
                let cookie = try #require(logIn.headers[.setCookie]?.split(separator: ";").first)
                expectPage(try await app.get("/settings", headers: [.cookie: String(cookie)]))
                let line = app.log.text.split(separator: "\n").filter { $0.contains("language of a log-in") }
                #expect(line.count == 1 && line.allSatisfy { $0.hasPrefix("warning") && !$0.contains("anna") })
                #expect(try await stores.user(user.id)?.language == .unknown)
            }
        }
    }

    @Test func `A chosen language outweighs the browser's and can be given up`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let browser = try await app.browser(of: user)
            func choose(_ language: String) async throws {
                let token = try await browser.formToken(on: "/settings")
                let response = try await browser.post(
                    "/settings/language", form: "formToken=\(token)&language=\(language)")
                #expect(response.status == .seeOther)
            }
            try await choose("de")
            expectPage(try await browser.get("/settings"), language: "de")
            try await choose("und")
            expectPage(try await browser.get("/settings"), language: "en")
            #expect(try await app.stores.user(user.id)?.language == .seen(.german))
        }
    }

    @Test func `One of a kind is in the singular`() throws {
        let words = LocalizedTexts(sections: ["a": ["b": "{n} members", "bOfOne": "one member"]])
        #expect(words.text("a.b", count: 1, ["n": "1"]) == "one member")
        for count in [0, 2, 11] {
            #expect(words.text("a.b", count: count, ["n": String(count)]) == "\(count) members")
        }
    }

    @Test func `A team of one is addressed in the singular`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let page = try await app.browser(of: team.lead.user).get("\(team.pagePath)?language=de")
            #expect(page.text.contains("das Team hat nur ein Mitglied"))
            #expect(!page.text.contains("1 Mitglieder"))
        }
    }
}
