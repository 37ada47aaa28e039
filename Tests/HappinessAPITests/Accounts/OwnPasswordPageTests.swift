import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The page that asks for a password of the user's own, after a login with one that somebody else set.
@Suite struct OwnPasswordPageTests {
    private static let password = "purple%20lamp%209"
    private static let title = "<h1>Choose your own password</h1>"

    /// A login of a user of `TestApp`.
    private static func logIn(_ user: User, to next: String, in app: TestApp) async throws -> TestResponse {
        try await app.post("/login", form: "username=\(user.name)&password=\(password)&next=\(next.formEncoded)")
    }

    private static func markPassword(of user: User, in app: TestApp) async throws {
        try await app.stores.update(id: user.id, UserUpdate(passwordIsHandedOut: true))
    }

    @Test func `The page comes before the wanted one, which follows the new password`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let user = team.lead.user
            try await Self.markPassword(of: user, in: app)
            let response = try await Self.logIn(user, to: team.votePath, in: app)
            let address = "/own-password?next=\(team.votePath)"
            #expect(response.status == .seeOther && response.headers[.location] == address)
            let browser = try await app.browser(of: user)
            let page = try await browser.get(address)
            expectPage(page, saying: Self.title)
            #expect(page.text.contains(#"href="\#(team.votePath)">Not now</a>"#))
            expectPage(try await browser.get("/settings"), saying: "Set by someone else")
            expectPage(try await browser.get("/settings/password"), saying: "may still know it")

            let token = try await browser.formToken(on: address)
            func choose(_ current: String, _ password: String, _ again: String) async throws -> TestResponse {
                try await browser.post(
                    address, form: "formToken=\(token)&current=\(current)&password=\(password)&repeat=\(again)")
            }
            let refusals = [
                (try await choose("", "green%20door%2012", "green%20door%2012"), 422, "all three"),
                (try await choose(Self.password, "green%20door%2012", "green"), 422, "don’t match"),
                (try await choose("wrong", "green%20door%2012", "green%20door%2012"), 403, "Wrong password"),
                (try await choose(Self.password, Self.password, Self.password), 422, "password you were given"),
            ]
            for (rejection, status, reason) in refusals {
                expectPage(rejection, status, saying: reason)
                #expect(rejection.text.contains(Self.title) && rejection.text.contains(#"action="\#(address)""#))
            }
            let chosen = try await choose(Self.password, "green%20door%2012", "green%20door%2012")
            #expect(chosen.status == .seeOther && chosen.headers[.location] == team.votePath, "\(chosen.classic)")
            #expect(try await !browser.get("/settings").text.contains("Set by someone else"))
            #expect(try await !browser.get("/settings/password").text.contains("may still know it"))
            let again = try await app.post(
                "/login", form: "username=\(user.name)&password=green%20door%2012&next=\(team.votePath)")
            #expect(again.headers[.location] == team.votePath, "nothing is left to ask")
        }
    }

    @Test func `Nothing is blocked, and the next log-in asks again`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            try await Self.markPassword(of: team.lead.user, in: app)
            let browser = try await app.browser(of: team.lead.user)
            #expect(try await browser.vote(in: team, "7").status == .seeOther)
            #expect(try await app.tally(of: team)?.count == 1)
            let again = try await Self.logIn(team.lead.user, to: "/settings", in: app)
            #expect(again.headers[.location] == "/own-password?next=/settings")
        }
    }

    @Test(arguments: ["/search?search=a+b&after=c", "/teams/1/vote?language=de", "/a%2Fb#c", "/"])
    func `The wanted page survives with its query`(next: String) async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            try await Self.markPassword(of: user, in: app)
            let response = try await Self.logIn(user, to: next, in: app)
            let address = try #require(response.headers[.location])
            #expect(address.hasPrefix("/own-password?next="))
            let browser = try await app.browser(of: user)
            let page = try await browser.get(address)
            #expect(page.text.contains(#"href="\#(next.replacing("&", with: "&amp;"))">Not now</a>"#), "\(page.text)")
            let token = try await browser.formToken(on: address)
            let chosen = try await browser.post(
                address,
                form: "formToken=\(token)&current=\(Self.password)&password=green%20door%2012&repeat=green%20door%2012")
            #expect(chosen.headers[.location] == next)
        }
    }

    @Test(arguments: ["https://evil.example", "//evil.example", "/%5Cevil.example", "javascript:alert(1)", "/..", ""])
    func `The page never leads to another site`(next: String) async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            try await Self.markPassword(of: user, in: app)
            let browser = try await app.browser(of: user)
            expectPage(try await browser.get("/own-password?next=\(next)"), saying: #"href="/">Not now</a>"#)
        }
    }

    @Test func `A password of one's own is not asked about`() async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: app.makeUser("anna"))
            let response = try await browser.get("/own-password?next=/settings")
            #expect(response.status == .seeOther && response.headers[.location] == "/settings")
        }
    }

    @Test func `A log-in that ended on the page leads back to it, once`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            try await Self.markPassword(of: user, in: app)
            let stranger = try await app.get("/own-password?next=/settings")
            let logIn = try #require(stranger.headers[.location])
            let next = try #require(URLComponents(string: logIn)?.queryItems?.first { $0.name == "next" }?.value)
            #expect(logIn.hasPrefix("/login?") && next == "/own-password?next=/settings")
            let response = try await Self.logIn(user, to: next, in: app)
            #expect(response.headers[.location] == "/own-password?next=/settings")
        }
    }

    @Test func `The page is there in German`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            try await Self.markPassword(of: user, in: app)
            let page = try await app.browser(of: user).get("/own-password?next=/settings&language=de")
            expectPage(page, saying: "<h1>Wähle dein eigenes Passwort</h1>", language: "de")
            #expect(page.text.contains(#"href="/settings">Jetzt nicht</a>"#))
        }
    }

    @Test func `The page works below a path`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org/mood"]) { app in
            let user = try await app.makeUser("anna")
            try await Self.markPassword(of: user, in: app)
            let response = try await app.post(
                "/mood/login", form: "username=anna&password=\(Self.password)&next=/settings")
            #expect(response.headers[.location] == "/mood/own-password?next=/settings")
            let page = try await app.browser(of: user).get("/mood/own-password?next=/settings").text
            #expect(page.contains(#"action="/mood/own-password?next=/settings""#))
            #expect(page.contains(#"href="/mood/settings">Not now</a>"#))
        }
    }
}
