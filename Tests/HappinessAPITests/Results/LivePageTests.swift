import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The live view in a browser.
@Suite struct LivePageTests {
    @Test func `Below the threshold, the page says why nothing is shown, and no count`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.members[8].user)
            // The first request starts the sprint, which is a new publication.
            _ = try await browser.get(team.pagePath)
            let before = try await browser.get(team.pagePath)
            expectPage(before, saying: "No result yet")
            #expect(before.text.contains("Sprint 2026/2") && before.text.contains("at least 3"))
            #expect(before.text.contains("after 6 votes, or at the end of the sprint if"))
            for member in team.members.prefix(5) {
                _ = try await app.vote(member, in: team, 2)
                app.clock.advance(by: 2)
                #expect(Self.region(try await browser.get(team.pagePath)) == Self.region(before))
            }
        }
    }

    @Test func `Someone without a team tells the admins by one button`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("admin", role: .admin)
            let browser = try await app.browser(of: try await app.makeUser("anna"))
            let token = try await browser.formToken(on: "/")
            expectPage(try await browser.post("/team-request", form: "formToken=x"), 403)
            for _ in 0..<2 {
                let page = try await browser.post("/team-request", form: "formToken=\(token)")
                expectPage(page, saying: "The admins get an e-mail")
                #expect(page.text.contains("anna@example.org") && !page.text.contains("action=\"/team-request\""))
            }
            let jobs = try await app.stores.jobs.list(state: nil, limit: 10)
            #expect(jobs.count { $0.kind == MailJobKind.teamRequest.rawValue } == 1)
        }
    }

    @Test func `The published state is shown, and nothing that came since`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.members[8].user)
            for (member, value) in zip(team.members, [6.0, 7, 8, 0, 0, 0]) {
                _ = try await app.vote(member, in: team, value)
            }
            app.clock.advance(by: 2)
            let page = try await browser.get(team.pagePath)
            expectPage(page, saying: #"<span class="figure">7.0</span>"#)
            #expect(page.text.contains("Based on 3 of 9 answers so far."))
            // Three of the six were given but are not published, so none is called missing. 21 of 90, and 81 of 90.
            #expect(
                page.text.contains(
                    "6 of 9 answers aren’t in this value yet. Whatever they are, it will end up between 2.3 and 9.0."))
            #expect(page.text.contains("at least 3 at a time"))
            _ = try await app.vote(team.members[6], in: team, 10)
            app.clock.advance(by: 2)
            #expect(Self.region(try await browser.get(team.pagePath)) == Self.region(page))
        }
    }

    @Test func `After a vote, the button gives way to thanks`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.lead.user)
            let button = #"href="\#(team.votePath)""#
            #expect(try await browser.get(team.pagePath).text.contains(button))
            let response = try await browser.vote(in: team, "7")
            #expect(response.status == .seeOther)
            #expect(response.headers[.location] == team.pagePath, "without a trace of the vote in the address")
            let page = try await browser.get(team.pagePath)
            #expect(page.text.contains("You’re in!") && !page.text.contains(button))
            #expect(page.text.contains("You can vote again from 2\u{a0}February."))
        }
    }

    /// Members, votes before this one, and whether this one can still be published before the end. With nine votes, six
    /// are published, and eleven members do not fill two more groups.
    @Test(arguments: [(9, 0, true), (5, 0, false), (12, 9, true), (11, 9, false)])
    func `A vote is announced for the next group only if the team can still fill it`(
        members: Int, votes: Int, isNext: Bool
    ) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: members)
            for member in team.members.prefix(votes) { _ = try await app.vote(member, in: team, 7) }
            let browser = try await app.browser(of: team.members[members - 1].user)
            #expect(try await browser.vote(in: team, "7").status == .seeOther)
            app.clock.advance(by: 2)
            let page = try await browser.get(team.pagePath).text
            #expect(page.contains("Your vote is in. It appears with the next group.") == isNext)
            #expect(page.contains("Your vote is in. It appears at the end of the sprint.") == !isNext)
        }
    }

    /// Whom the team lets read feedback, the role of the viewer, and the feedback of the last sprint.
    @Test(arguments: [
        (Team.FeedbackReaders.team, 1, ["calm"], true), (.team, 1, [], false), (.leads, 1, ["calm"], false),
        (.leads, 0, ["calm"], true),
    ])
    func `After a vote, the last sprint is offered if there is feedback to read`(
        readers: Team.FeedbackReaders, viewer: Int, feedback: [String], isOffered: Bool
    ) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9, settings: TeamSettings(feedbackReaders: readers))
            try await app.importSprints([(2026, 1, 8, 9)], of: team, feedback: feedback)
            let browser = try await app.browser(of: team.members[viewer].user)
            #expect(try await browser.vote(in: team, "7").status == .seeOther)
            let page = try await browser.get(team.pagePath).text
            #expect(page.contains(#"<a href="\#(team.pagePath)/sprints/2026/1#feedback">calm</a>"#) == isOffered)
            #expect(page.contains(#"href="\#(team.pagePath)/actions">See the team’s actions"#) == !isOffered)
        }
    }

    @Test func `Where one votes and is thanked, one open action is shown, and no count`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let path = "\(team.path)/actions"
            let added = try await app.post(path, token: team.lead.token, json: #"{"title":"Less noise"}"#)
            let id = try #require(added.object["id"] as? String)
            _ = try await app.post(path, token: team.lead.token, json: #"{"title":"Quieter rooms"}"#)
            #expect(try await app.send(.put, "\(path)/\(id)/support", token: team.lead.token).status == .ok)
            let browser = try await app.browser(of: team.members[1].user)
            for page in [team.votePath, team.plainVotePath] {
                let text = try await browser.get(page).text
                #expect(text.contains("<strong>Less noise</strong>") && !text.contains("Quieter rooms"), "\(page)")
                #expect(!text.contains("me too"), "\(page)")
            }
            #expect(try await !browser.get(team.pagePath).text.contains("What we want to change"))
            #expect(try await browser.vote(in: team, "7").status == .seeOther)
            let thanks = try await browser.get(team.pagePath).text
            #expect(thanks.contains(#"<a href="\#(team.pagePath)/actions/\#(id)">Less noise</a></p>"#))
            #expect(thanks.contains(#"class="now awaiting""#))
        }
    }

    @Test func `A comparison and the trend say what was imported`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importHistory(
                "2025/26,2025-12-22,2026-01-04,7,6,9\n2026/1,2026-01-05,2026-01-18,8,6,9", into: team)
            for member in team.members.prefix(6) { _ = try await app.vote(member, in: team, 9) }
            app.clock.advance(by: 2)
            let page = try await app.browser(of: team.lead.user).get(team.pagePath).text
            #expect(page.contains("The earlier result was imported: another tool counted the votes."))
            #expect(page.contains("2 of these results were imported: another tool counted the votes."))
        }
    }

    @Test func `A complete sprint has every answer and no button`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team, 8) }
            app.clock.advance(by: 2)
            let page = try await app.browser(of: team.lead.user).get(team.pagePath)
            #expect(page.text.contains("Everyone answered.") && page.text.contains("This is final"))
            #expect(page.text.contains(#"href="\#(team.pagePath)/sprints/2026/2">See this sprint’s result"#))
        }
    }

    @Test func `A team below the threshold is told so`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let page = try await app.browser(of: team.lead.user).get(team.pagePath)
            #expect(page.text.contains("You need at least 3 votes for a result, and this team has only 2 members."))
        }
    }

    @Test func `Without protection, the page says so`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4, settings: TeamSettings(policy: .immediate))
            _ = try await app.vote(team.members[1], in: team, 9)
            app.clock.advance(by: 2)
            let page = try await app.browser(of: team.lead.user).get(team.pagePath)
            #expect(page.text.contains("In this team every vote shows immediately."))
            #expect(page.text.contains("1 of 4 answers"))
        }
    }

    @Test func `Someone else's team is not found`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue")
            let stranger = try await app.browser(of: try await app.makeTeam("Red").lead.user)
            for path in [team.pagePath, team.votePath, "/teams/nonsense", "/teams/\(Team.ID.random())/vote"] {
                expectPage(try await stranger.get(path), 404, saying: "This team doesn’t exist")
            }
        }
    }

    @Test func `A user without a team reads whom to ask`() async throws {
        try await TestApp.with { app in
            let browser = try await app.browser(of: try await app.makeUser("anna"))
            expectPage(try await browser.get("/"), saying: "You’re not in a team yet")
        }
    }

    @Test func `The page speaks the viewer's language`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            for member in team.members.prefix(6) { _ = try await app.vote(member, in: team, 7.5) }
            app.clock.advance(by: 2)
            let browser = try await app.browser(of: team.members[8].user)
            let page = try await browser.get("\(team.pagePath)?language=de")
            expectPage(page, saying: #"<span class="figure">7,5</span>"#, language: "de")
            #expect(page.text.contains("19.\u{a0}Januar\u{a0}– 1.\u{a0}Februar"))
        }
    }

    @Test func `Several teams can be switched between without a script`() async throws {
        try await TestApp.with { app in
            let blue = try await app.makeTeam("Blue")
            let red = try await app.makeTeam("Red")
            try await app.stores.add(Membership(teamID: red.id, userID: blue.lead.user.id))
            let page = try await app.browser(of: blue.lead.user).get(blue.pagePath).text
            #expect(page.contains(#"<a href="\#(blue.pagePath)" aria-current="true">Blue</a>"#))
            #expect(page.contains(#"<a href="\#(red.pagePath)">Red</a>"#))
            let single = try await app.browser(of: red.lead.user).get(red.pagePath).text
            #expect(!single.contains("team-switch"))
        }
    }

    @Test func `The way from the reminder to the thanks leaves no trace in the session`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let user = team.lead.user
            let browser = try await app.browser(of: user)
            app.clock.advance(by: 2 * 86_400)
            let before = try await app.stores.sessions(of: user.id, at: app.clock.wall.now).map(\.lastUsed)
            _ = try await browser.get("/")
            _ = try await browser.get(team.votePath)
            _ = try await browser.vote(in: team, "3")
            _ = try await browser.get(team.pagePath)
            let after = try await app.stores.sessions(of: user.id, at: app.clock.wall.now).map(\.lastUsed)
            #expect(after == before)
            #expect(!app.log.text.contains("/teams/"))
        }
    }

    /// The part of the page about the team, without the frame.
    private static func region(_ response: TestResponse) -> Substring? {
        response.text.firstMatch(of: /(?s)<main.*<\/main>/)?.output
    }
}
