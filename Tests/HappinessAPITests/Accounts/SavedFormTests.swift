import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Storage
import Synchronization
import TestSupport
import Testing

@testable import HappinessAPI

/// A form is not lost when its sender's login ends meanwhile.
@Suite struct SavedFormTests {
    private static let text = "Two lines,\r\nand <b>markup</b> & \"quotes\"."
    private static let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""

    /// The form kept in a login page.
    private static func kept(_ page: TestResponse) -> String? {
        page.text.firstMatch(of: /name="kept" id="kept" value="([A-Za-z0-9_-]+)"/).map { String($0.output.1) }
    }

    /// A browser whose session ended while it showed the ballot's form.
    private static func loggedOut(_ app: TestApp, _ team: SignedInTeam) async throws -> (Browser, String) {
        let browser = try await app.browser(of: team.lead.user)
        let token = try await browser.formToken(on: team.pagePath)
        try await app.stores.transaction { try $0.endSessions(of: team.lead.user.id, except: nil) }
        app.clock.advance(by: 6)
        return (browser, token)
    }

    /// The browser after a login from the page that keeps the form.
    private static func logInAgain(_ app: TestApp, as name: String) async throws -> Browser {
        let response = try await app.post("/login", form: "username=\(name)&password=purple%20lamp%209&next=/kept-form")
        #expect(response.status == .seeOther && response.headers[.location] == "/kept-form")
        let cookie = try #require(response.headers[.setCookie]?.split(separator: ";").first)
        return Browser(app: app, cookie: String(cookie))
    }

    @Test func `A kept vote is filled in again and not cast until it is resent`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            expectPage(page, 401, saying: "What you wrote is still here.")
            #expect(!page.text.contains("Two lines"), "the next user of this screen must not read it")
            #expect(!page.headers.contains(.location), "nothing of it is in an address")
            #expect(page.text.contains(#"href="/login?next=/kept-form" target="_blank""#))

            let again = try await Self.logInAgain(app, as: "blue0")
            expectPage(try await again.get("/kept-form"), saying: "is in the window you sent it from")
            let form = try await again.post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            expectPage(form, saying: "hasn’t been counted yet")
            #expect(form.text.contains("Two lines,\r\nand &lt;b&gt;markup"))
            #expect(form.text.contains(#"value="7" required checked"#))
            #expect(try await app.tally(of: team)?.count == 0)

            let fresh = try #require(form.text.firstMatch(of: /name="formToken" value="([^"]*)"/)).output.1
            let vote = try await again.post(
                team.plainVotePath, form: "formToken=\(fresh)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            #expect(vote.status == .seeOther)
            #expect(try await app.tally(of: team)?.count == 1)
        }
    }

    @Test func `Any other kept form is filled in again`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                "\(team.pagePath)/actions", form: "title=\(Self.encoded)&state=planned&formToken=\(token)")
            let form = try await Self.logInAgain(app, as: "blue0")
                .post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            expectPage(form, saying: "Not sent yet")
            #expect(form.text.contains(#"action="\#(team.pagePath)/actions""#))
            #expect(form.text.contains(#"<input type="hidden" name="state" value="planned">"#))
            #expect(form.text.contains("Two lines,") && !form.text.contains("<b>"))
        }
    }

    @Test func `A kept form waits for its sender and comes back to nobody else`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let kept = try #require(Self.kept(page))
            let early = try await browser.post("/kept-form", form: "kept=\(kept)")
            expectPage(early, 401)
            #expect(Self.kept(early) == kept, "it still waits")
            #expect(try await browser.get("/kept-form").headers[.location] == "/login?next=/kept-form")

            let back = try await app.browser(of: team.lead.user)
            expectPage(try await back.post("/kept-form", form: "kept=\(kept)"), saying: "Two lines,")
            let other = try await app.browser(of: team.members[1].user)
            let response = try await other.post("/kept-form", form: "kept=\(kept)")
            expectPage(response, 403, saying: "This belongs to another account")
            #expect(!response.text.contains("Two lines"))
            #expect(response.text.contains(#"name="kept" value="\#(kept)""#), "the wrong account loses nothing")
            expectPage(try await back.post("/kept-form", form: "kept=made-up"), 403)
        }
    }

    /// If the login's response contained the form, the browser's history would contain a form with a password, which
    /// reloading the page would send again.
    @Test func `The log-in always leads to a GET request`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=some%20text")
            #expect(!page.text.contains(#"type="password""#))
            let kept = try #require(Self.kept(page))
            let response = try await app.post("/login", form: "username=blue0&password=purple%20lamp%209&kept=\(kept)")
            #expect(response.status == .seeOther && response.text.isEmpty && response.headers[.location] == "/")
        }
    }

    @Test func `No count and no log line tells that a vote came back`() async throws {
        let plain = try await Self.tracesOfALogIn(bringingAVoteBack: false)
        #expect(try await Self.tracesOfALogIn(bringingAVoteBack: true) == plain)
        #expect(plain.contains { $0.contains("/login") }, "the capture works")
    }

    /// The log of a user who is logged out, wants to vote or has sent a vote, and logs in again: line by line, without
    /// durations. Metrics are counted at the same place (`RequestLogMiddleware`).
    private static func tracesOfALogIn(bringingAVoteBack: Bool) async throws -> [String] {
        let lines = Mutex<[String]>([])
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await loggedOut(app, team)
            let before = app.log.text.count
            if bringingAVoteBack {
                let page = try await browser.post(
                    team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=some%20text")
                let kept = try #require(Self.kept(page))
                _ = try await app.get("/login?next=/kept-form")
                let again = try await logInAgain(app, as: "blue0")
                expectPage(try await again.get("/kept-form"))
                expectPage(try await again.post("/kept-form", form: "kept=\(kept)"), saying: "hasn’t been counted yet")
            } else {
                #expect(try await browser.get(team.votePath).status == .seeOther)
                _ = try await app.get("/login?next=\(team.votePath)")
                expectPage(try await logInAgain(app, as: "blue0").get(team.votePath))
            }
            let log = String(app.log.text.dropFirst(before))
            lines.withLock { lines in
                lines = log.split(separator: "\n").map { line in
                    let parts = line.matches(of: /http\.(?:method|route|status)=\S+/)
                    return ([String(line.prefix(15))] + parts.map { String($0.output) }.sorted()).joined(separator: " ")
                }
            }
        }
        return lines.withLock { $0 }
    }

    @Test func `A removed member is told so, and is logged in once`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let voter = team.members[1]
            let browser = try await app.browser(of: voter.user)
            let token = try await browser.formToken(on: team.pagePath)
            try await app.stores.transaction { try $0.endSessions(of: voter.user.id, except: nil) }
            try await app.stores.remove(userID: voter.user.id, from: team.id)
            app.clock.advance(by: 6)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let again = try await Self.logInAgain(app, as: voter.user.name)
            let response = try await again.post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            expectPage(response, saying: "no longer in this team")
            #expect(response.text.contains("Two lines,"), "what was written is not lost")
            #expect(try await app.stores.sessions(of: voter.user.id, at: app.clock.now).count == 1)
            #expect(try await again.get("/settings").status == .ok, "they are logged in")
        }
    }

    @Test func `A form without a genuine token or with a password is not kept`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            for form in [
                "sprint=2026/2&happiness=7&feedback=some%20text", "formToken=\(token)",
                "formToken=\(token)&email=new@example.org&password=a%20b%20c",
                "formToken=\(token)&current=a%20b&repeat=c",
            ] {
                let response = try await browser.post(team.plainVotePath, form: form)
                #expect(response.status == .seeOther && response.headers[.location] == "/login", "\(form)")
            }
            // A form with a made-up token is kept, but no one can open it.
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=a.b&happiness=7&feedback=some%20text")
            let response = try await Self.logInAgain(app, as: "blue0")
                .post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            expectPage(response, 403)
        }
    }

    @Test func `A kept vote is no plain form in a team that counts sealed ones only`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(ballots: .sealed))
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let response = try await Self.logInAgain(app, as: "blue0")
                .post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            expectPage(response, saying: "Your team only counts sealed votes, and this one wasn’t.")
            #expect(response.text.contains("Two lines,"), "what was written is not lost")
            #expect(!response.text.contains(#"name="happiness""#) && !response.text.contains(#"name="feedback""#))
        }
    }

    @Test func `Nothing of a kept form is stored or logged`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=unmistakable%20words")
            _ = try await Self.logInAgain(app, as: "blue0")
                .post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            #expect(!app.log.text.contains("unmistakable"))
            #expect(!app.log.text.contains(try #require(Self.kept(page))))
        }
    }

    @Test func `A vote that can no longer be cast keeps its text`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.vote(team.lead, in: team)
            let (browser, token) = try await Self.loggedOut(app, team)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=\(Self.encoded)")
            let response = try await Self.logInAgain(app, as: "blue0")
                .post("/kept-form", form: "kept=\(try #require(Self.kept(page)))")
            expectPage(response, saying: "now you can’t vote")
            #expect(response.text.contains("Two lines,"))
        }
    }
}
