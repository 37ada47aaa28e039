import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Administrators replace texts, in pages and through the API.
@Suite struct AdminTextPagesTests {
    private static let path = "/admin/texts/en/live.vote"
    private static let api = "/api/v1/admin/texts"

    @Test func `A text is found, changed, shown and restored`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let team = try await app.makeTeam(members: 3)
            let admin = try await app.makeUser("admin", role: .admin)
            let browser = try await app.browser(of: admin)
            let list = try await browser.get("/admin/texts?search=Vote+now")
            expectPage(list, saying: #"href="/admin/texts/en/live.vote""#)
            expectPage(try await browser.get("/admin/texts?in=de&search=Abstimmen"), saying: #"lang="de">"#)

            let form = try await browser.openedForm(on: Self.path)
            let saved = try await browser.post(Self.path, form: "\(form)&text=%3Cb%3EGo%3C/b%3E+%26+vote")
            #expect(saved.status == .seeOther && saved.headers[.location] == "\(Self.path)?done=changed")
            expectPage(try await browser.get("\(Self.path)?done=changed"), saying: "Text changed.")
            let member = try await app.browser(of: team.lead.user)
            let live = try await member.get(team.pagePath)
            #expect(live.text.contains("&lt;b&gt;Go&lt;/b&gt; &amp; vote") && !live.text.contains("Vote now"))
            expectPage(try await browser.get("/admin/texts?own=on"), saying: "&lt;b&gt;Go")

            let again = try await browser.openedForm(on: Self.path)
            let restored = try await browser.post("\(Self.path)/original", form: again)
            #expect(restored.headers[.location] == "\(Self.path)?done=restored")
            #expect(try await member.get(team.pagePath).text.contains("Vote now"))
            expectPage(try await browser.get("/admin/texts?own=on"), saying: "No text found.")
        }
    }

    @Test func `A text that someone else changed is shown before it is replaced`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let browser = try await app.browser(of: try await app.makeUser("admin", role: .admin))
            let other = try await app.browser(of: try await app.makeUser("other", role: .admin))
            let mine = try await browser.openedForm(on: Self.path)
            let theirs = try await other.openedForm(on: Self.path)
            #expect(try await other.post(Self.path, form: "\(theirs)&text=Go").status == .seeOther)
            let page = try await browser.post(Self.path, form: "\(mine)&text=Now")
            expectPage(page, 409, saying: "<q lang=\"en\">Go</q>")
            #expect(page.text.contains(">Now</textarea>"))
            expectPage(try await browser.post("\(Self.path)/original", form: mine), 409, saying: "in the meantime")
            #expect(try await app.stores.ownTexts().map(\.text) == ["Go"])
            #expect(try await browser.post(Self.path, form: "\(browser.openedForm(page))&text=Now").status == .seeOther)
            #expect(try await app.stores.ownTexts().map(\.text) == ["Now"])
        }
    }

    @Test func `A custom text that is not shown because it no longer fits is replaced`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let browser = try await app.browser(of: try await app.makeUser("admin", role: .admin))
            let unfit = TextChange(text: "Without a number", day: CalendarDay(instant: TestApp.now, in: .gmt))
            try await app.stores.changeText(TextKey("live.answered", in: .english), unfit)
            let path = "/admin/texts/en/live.answered"
            let form = try await browser.openedForm(on: path)
            let saved = try await browser.post(path, form: "\(form)&text=%7Bvotes%7D+of+%7Bpeople%7D")
            #expect(saved.status == .seeOther, "\(saved.classic)")
            #expect(try await app.stores.ownTexts().map(\.text) == ["{votes} of {people}"])
        }
    }

    @Test func `A text without its placeholders comes back with the reason`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let browser = try await app.browser(of: try await app.makeUser("admin", role: .admin))
            let path = "/admin/texts/en/live.answered"
            let form = try await browser.openedForm(on: path)
            let response = try await browser.post(path, form: "\(form)&text=Only+%7Bvotes%7D")
            expectPage(response, 422, saying: "{votes} {people}")
            #expect(response.text.contains(">Only {votes}</textarea>"), "what was typed is kept")
            let none = try await browser.post(
                Self.path, form: "\(try await browser.openedForm(on: Self.path))&text=%7Bname%7D")
            expectPage(none, 422, saying: "no placeholders")
            #expect(try await app.stores.ownTexts().isEmpty)
        }
    }

    @Test func `For everyone else, there are no such pages`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let team = try await app.makeTeam()
            let lead = try await app.browser(of: team.lead.user)
            let token = try await lead.formToken(on: team.pagePath)
            for path in ["/admin/texts", Self.path] { expectPage(try await lead.get(path), 404) }
            expectPage(try await lead.post(Self.path, form: "formToken=\(token)&text=x"), 404)
            expectPage(try await lead.post("\(Self.path)/original", form: "formToken=\(token)"), 404)
            for path in [Self.api, "\(Self.api)/en/live.vote"] {
                expectRejection(try await app.get(path, token: team.lead.token), 403)
            }
            expectRejection(
                try await app.put("\(Self.api)/en/live.vote", token: team.lead.token, json: #"{"text":"x"}"#), 403)
            #expect(try await app.stores.ownTexts().isEmpty)
        }
    }

    @Test func `Programs read and change texts`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let token = try await app.token(of: try await app.makeUser("admin", role: .admin))
            let path = "\(Self.api)/de/live.answered"
            let list = try await app.get("\(Self.api)?language=de&search=live.answered", token: token)
            let texts = try #require(list.object["texts"] as? [[String: Any]])
            #expect(texts.compactMap { $0["key"] as? String } == ["live.answered", "live.answeredOfOne"])
            #expect(texts.first?["placeholders"] as? [String] == ["{votes}", "{people}"])

            let changed = try await app.put(path, token: token, json: #"{"text":"{votes} von euch {people}."}"#)
            #expect(changed.status == .ok && changed.object["own"] as? String == "{votes} von euch {people}.")
            let gone = try await app.send(.delete, path, token: token)
            #expect(gone.status == .noContent)
            let shown = try await app.get(path, token: token).object
            #expect(shown["own"] == nil)
            let history = try #require(shown["history"] as? [[String: String]])
            #expect(history.map { $0["text"] } == [nil, "{votes} von euch {people}."])
            #expect(history.allSatisfy { $0["day"] == "2026-01-25" })
        }
    }

    @Test(arguments: [
        ("de/live.vote", #"{"text":""}"#, 422), ("de/live.vote", #"{"text":"{x}"}"#, 422),
        ("de/live.vote", #"{"text":1}"#, 400), ("de/live.vote", "{}", 400), ("fr/live.vote", #"{"text":"x"}"#, 404),
        ("de/live.gone", #"{"text":"x"}"#, 404), ("de/calendar.months", #"{"text":"x"}"#, 404),
    ])
    func `An invalid text is refused`(text: String, body: String, status: Int) async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let token = try await app.token(of: try await app.makeUser("admin", role: .admin))
            expectRejection(try await app.put("\(Self.api)/\(text)", token: token, json: body), status)
        }
    }
}
