import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Who sees the pages of a team's management, and which results they show.
@Suite struct ManagePagesTests {
    static let pages = ["", "/settings", "/reminders", "/experiments", "/members", "/messages"]

    @Test(arguments: pages)
    func `Leads and administrators see the page, and nobody else does`(page: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let stranger = try await app.makeTeam("Red").lead.user
            let admin = try await app.makeUser("root", role: .admin)
            let path = "\(team.managePath)\(page)"
            for user in [team.lead.user, admin] {
                expectPage(try await app.browser(of: user).get(path), saying: "Blue")
            }
            expectPage(try await app.browser(of: team.members[1].user).get(path), 403, saying: "don’t have access")
            expectPage(try await app.browser(of: stranger).get(path), 404, saying: "This team doesn’t exist")
            #expect(try await app.get(path).status == .seeOther)
        }
    }

    /// Values that a form with a hidden field `seen` could have shown.
    private static let shown =
        #"{"name":"x","calendar":"isoFortnight","weeks":"2","anchor":"","timeZone":"UTC","threshold":"3","#
        + #""policy":"live","feedbackReaders":"team","ballots":"any","graceDays":"0"}"#

    @Test(arguments: [
        "/settings", "/reminders", "/reminders/preview", "/reminders/test", "/reminders/days",
        "/reminders/days/remove", "/experiments", "/members/role", "/members/remove", "/members/mail-again",
        "/members/invite",
        "/members/resend", "/members/withdraw", "/members/share", "/members/unshare", "/messages",
    ])
    func `A form is valid only with its token`(form: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let browser = try await app.browser(of: team.lead.user)
            let fields =
                "formToken=wrong&seen=\(Self.shown.formEncoded)&name=x&calendar=isoFortnight&weeks=2&anchor=&timeZone=UTC&threshold=9"
                + "&policy=live&feedbackReaders=team&ballots=any&graceDays=0&user=x&role=lead&emails=x@example.org&invitation=x"
                + "&title=a&body=b&first=2026-03-02&last=2026-03-03&hour=9&day=2026-03-02&reminder=first"
            let response = try await browser.post("\(team.managePath)\(form)", form: fields)
            expectPage(response, 403, saying: "out of date")
            #expect(try await app.stores.team(team.id)?.settings.threshold == 3)
        }
    }

    @Test func `A lead sees how many took part, and nothing of the running sprint`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            for member in team.members.prefix(4) { _ = try await app.vote(member, in: team, 8) }
            let browser = try await app.browser(of: team.lead.user)
            let running = try await browser.get(team.managePath)
            expectPage(running, saying: "Once a sprint is over")
            #expect(!running.text.contains("2026/2"))
            app.clock.advance(by: 14 * TestTeam.day)
            let closed = try await browser.get(team.managePath)
            expectPage(closed, saying: "4 of 5")
            #expect(closed.text.contains("80%") && closed.text.contains("80% (4 of 5 answers)"))
            #expect(closed.text.contains("A comparison needs two sprints"))
        }
    }

    @Test func `Imported results are marked in participation and trend`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            try await app.importHistory(
                "2025/26,2025-12-22,2026-01-04,7,6,9\n2026/1,2026-01-05,2026-01-18,8,6,9", into: team)
            let page = try await app.browser(of: team.lead.user).get(team.managePath)
            expectPage(page, saying: "2026/1 <span class=\"tag\">imported</span>")
            #expect(page.text.contains("67% (6 of 9 answers, imported)"))
            #expect(page.text.contains(#"id="trend-wide"#) && page.text.contains("How do we know?"))
            #expect(page.text.contains("No clear change yet (7.0 before)."))
            #expect(page.text.contains("2 of these results were imported: another tool counted the votes."))
        }
    }

    @Test func `A sprint with too few votes says no more than that`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            for member in team.members.prefix(2) { _ = try await app.vote(member, in: team, 8) }
            app.clock.advance(by: 14 * TestTeam.day)
            let page = try await app.browser(of: team.lead.user).get(team.managePath)
            expectPage(page, saying: "fewer than 3")
            #expect(!page.text.contains("2 of 5") && !page.text.contains("40%"))
        }
    }

    @Test func `Without protection, a sprint without votes has a share of 0`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5, settings: TeamSettings(policy: .immediate))
            // The first request starts the sprint.
            _ = try await app.browser(of: team.lead.user).get(team.pagePath)
            app.clock.advance(by: 14 * TestTeam.day)
            let page = try await app.browser(of: team.lead.user).get(team.managePath)
            expectPage(page, saying: "0% (0 of 5 answers)")
            #expect(page.text.contains(">0 of 5<") && !page.text.contains("fewer than"))
        }
    }

    @Test func `A user who only manages the team sees no result`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            for member in team.members { _ = try await app.vote(member, in: team, 8) }
            app.clock.advance(by: 14 * TestTeam.day)
            let admin = try await app.browser(of: try await app.makeUser("root", role: .admin))
            let page = try await admin.get(team.managePath)
            expectPage(page, saying: "You manage this team but aren’t in it")
            #expect(!page.text.contains("4 of 4") && !page.text.contains("100%") && !page.text.contains("<svg xmlns"))
            // Nor links to pages with results.
            #expect(!page.text.contains("href=\"\(team.pagePath)\"") && !page.text.contains("/history\""))
        }
    }

    @Test func `The team tab is for those who manage the team`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let tab = "href=\"\(team.managePath)\""
            #expect(try await app.browser(of: team.lead.user).get(team.pagePath).text.contains(tab))
            #expect(try await app.browser(of: team.lead.user).get("/settings").text.contains(tab))
            #expect(try await !app.browser(of: team.members[1].user).get(team.pagePath).text.contains(tab))
        }
    }
}

extension SignedInTeam {
    /// Path of the overview of the team's management.
    var managePath: String { "\(pagePath)/manage" }
}

extension String {
    /// Encoded for a form field.
    var formEncoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self }
}
