import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Shared
import TestSupport
import Testing

@testable import HappinessAPI

/// What somebody wrote is not lost when their log-in ends meanwhile.
@Suite struct KeptFormTests {
    private static let text = "Two lines,\r\nand <b>markup</b> & \"quotes\"."
    private static let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""

    /// What waits in a log-in page.
    private static func kept(_ page: TestResponse) -> String? {
        page.text.firstMatch(of: /name="kept" value="([A-Za-z0-9_-]+)"/).map { String($0.output.1) }
    }

    /// A browser whose session has ended while it showed the form of a vote.
    private static func loggedOut(_ app: TestApp, _ team: SignedInTeam) async throws -> (Browser, String) {
        let browser = try await app.browser(of: team.lead.user)
        let token = try await browser.formToken(on: team.pagePath)
        try await app.stores.sessions.endAll(userID: team.lead.user.id, except: nil)
        app.clock.advance(by: 6)
        return (browser, token)
    }

    private static func logIn(_ app: TestApp, as name: String, keeping kept: String) async throws -> TestResponse {
        try await app.post("/login", form: "username=\(name)&password=purple%20lamp%209&next=/&kept=\(kept)")
    }

    @Test func aVoteComesBackFilledInAndIsNotCastBeforeItIsSentAgain() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.votePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            expectPage(page, 401, saying: "what you wrote is still here")
            #expect(!page.text.contains("Two lines"), "whoever comes to this screen next does not read it")
            #expect(!page.headers.contains(.location), "nothing of it is in an address")

            let wrong = try await app.post("/login", form: "username=blue0&password=no&kept=\(Self.kept(page) ?? "")")
            expectPage(wrong, 401, saying: "password is wrong")
            let form = try await Self.logIn(app, as: "blue0", keeping: try #require(Self.kept(wrong)))
            expectPage(form, saying: "not counted yet")
            #expect(form.text.contains("Two lines,\r\nand &lt;b&gt;markup"))
            #expect(form.text.contains(#"value="7" required checked"#))
            #expect(try await app.tally(of: team)?.count == 0)

            let cookie = try #require(form.headers[values: .setCookie].first?.split(separator: ";").first)
            let again = Browser(app: app, cookie: String(cookie))
            let fresh = try #require(form.text.firstMatch(of: /name="formToken" value="([^"]*)"/)).output.1
            let vote = try await again.post(
                team.votePath, form: "formToken=\(fresh)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            #expect(vote.status == .seeOther)
            #expect(try await app.tally(of: team)?.count == 1)
        }
    }

    @Test func somebodyElseWhoLogsInThereDoesNotGetIt() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.votePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let answer = try await Self.logIn(app, as: "blue1", keeping: try #require(Self.kept(page)))
            #expect(answer.status == .seeOther && answer.headers[.location] == "/")
            #expect(!answer.text.contains("Two lines"))
        }
    }

    @Test func anotherFormComesBackWithItsText() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                "\(team.pagePath)/actions", form: "title=\(Self.encoded)&state=planned&formToken=\(token)")
            let form = try await Self.logIn(app, as: "blue0", keeping: try #require(Self.kept(page)))
            expectPage(form, saying: "Not sent yet")
            #expect(form.text.contains(#"action="\#(team.pagePath)/actions""#))
            #expect(form.text.contains(#"<input type="hidden" name="state" value="planned">"#))
            #expect(form.text.contains("Two lines,") && !form.text.contains("<b>"))
        }
    }

    @Test func whoLoggedInInAnotherWindowGoesOn() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.votePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let kept = try #require(Self.kept(page))
            let early = try await browser.post("/kept-form", form: "kept=\(kept)")
            expectPage(early, 401)
            #expect(Self.kept(early) == kept, "it still waits")

            let back = try await app.browser(of: team.lead.user)
            expectPage(try await back.post("/kept-form", form: "kept=\(kept)"), saying: "Two lines,")
            let other = try await app.browser(of: team.members[1].user)
            #expect(try await other.post("/kept-form", form: "kept=\(kept)").headers[.location] == "/")
            #expect(try await back.post("/kept-form", form: "kept=made-up").headers[.location] == "/")
        }
    }

    @Test func aFormThatIsNoOneOfOursOrHasAPasswordIsNotKept() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            for form in [
                "sprint=2026/2&happiness=7&feedback=some%20text", "formToken=\(token)",
                "formToken=\(token)&email=new@example.org&password=a%20b%20c",
                "formToken=\(token)&current=a%20b&repeat=c",
            ] {
                let answer = try await browser.post(team.votePath, form: form)
                #expect(answer.status == .seeOther && answer.headers[.location] == "/login", "\(form)")
            }
            // A made-up token keeps the form, and nobody gets it.
            let page = try await browser.post(team.votePath, form: "formToken=a.b&happiness=7&feedback=some%20text")
            let answer = try await Self.logIn(app, as: "blue0", keeping: try #require(Self.kept(page)))
            #expect(answer.status == .seeOther)
        }
    }

    @Test func nothingOfItIsStoredOrLogged() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.votePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=unmistakable%20words")
            _ = try await Self.logIn(app, as: "blue0", keeping: try #require(Self.kept(page)))
            #expect(!app.log.text.contains("unmistakable"))
            #expect(!app.log.text.contains(try #require(Self.kept(page))))
        }
    }

    @Test func aVoteThatNeedsNoMoreKeepsItsText() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.vote(team.lead, in: team)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.votePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let answer = try await Self.logIn(app, as: "blue0", keeping: try #require(Self.kept(page)))
            expectPage(answer, saying: "there is no vote to give")
            #expect(answer.text.contains("Two lines,"))
        }
    }
}
