import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The page on which members vote, and the form of a plain ballot.
@Suite struct VotePagesTests {
    @Test(arguments: Team.AcceptedBallots.allCases)
    func `No form of the page on which members vote sends a ballot`(ballots: Team.AcceptedBallots) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(ballots: ballots))
            let page = try await app.browser(of: team.lead.user).get(team.votePath)
            expectPage(page, saying: "This page hasn’t loaded completely")
            let forms = page.text.matches(of: /(?s)<form\b.*?<\/form>/).map { String($0.output) }
            #expect(!forms.isEmpty, "that of the log-out")
            for form in forms {
                #expect(!form.contains("happiness") && !form.contains("textarea"))
            }
            // Nor do its elements belong to a form elsewhere.
            #expect(!page.text.contains(" form=") && !page.text.contains("formaction"))
            #expect(page.text.contains(#"<button type="button" class="wide" id="send" disabled"#))
            #expect(page.text.contains(team.plainVotePath) == (ballots == .any))
        }
    }

    @Test func `A team that counts sealed ballots only has no form of a plain one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(ballots: .sealed))
            let browser = try await app.browser(of: team.lead.user)
            let page = try await browser.get(team.plainVotePath)
            expectPage(page, saying: "Please use the vote page, which seals your vote.")
            #expect(page.text.contains(#"href="\#(team.votePath)""#))
            #expect(!page.text.contains("happiness\"") && !page.text.contains("textarea"))
        }
    }

    @Test func `The form of a plain ballot says that it is not sealed, and ends with the vote`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let page = try await browser.get(team.plainVotePath)
            expectPage(page, saying: "Your vote isn’t sealed")
            #expect(page.text.contains(#"href="\#(team.pagePath)/vote""#), "it leads back to the page that seals")
            _ = try await browser.vote(in: team, "7")
            #expect(try await browser.get(team.plainVotePath).headers[.location] == team.pagePath)
        }
    }

    @Test func `The form offers whole numbers, and none is chosen`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let page = try await app.browser(of: team.lead.user).get(team.plainVotePath)
            expectPage(page, saying: "How happy were you this sprint?")
            for value in 0...10 {
                #expect(page.text.contains(#"type="radio" name="happiness" value="\#(value)" required>"#))
            }
            #expect(page.text.contains(#"maxlength="2000""#) && page.text.contains("at the end of the sprint, if"))
            #expect(page.text.contains("Everyone in your team can read the text."))
        }
    }

    @Test func `The form says who reads it and what protects it`() async throws {
        try await TestApp.with { app in
            let quiet = try await app.makeTeam(
                "Quiet", settings: TeamSettings(threshold: 4, policy: .close, feedbackReaders: .leads))
            let page = try await app.browser(of: quiet.lead.user).get(quiet.votePath).text
            #expect(page.contains("at the end of the sprint, if at least 4 people have voted"))
            #expect(page.contains("Only your team leads can read the text."))

            let open = try await app.makeTeam("Open", settings: TeamSettings(policy: .immediate))
            let warning = try await app.browser(of: open.lead.user).get(open.votePath).text
            #expect(warning.contains("In this team every vote appears immediately."))
            #expect(!warning.contains("without your name"))

            let strict = try await app.makeTeam("Strict", settings: TeamSettings(ballots: .sealed))
            let sealed = try await app.browser(of: strict.lead.user).get(strict.votePath).text
            #expect(sealed.contains("Your team only counts sealed votes") && !page.contains("only counts sealed"))
        }
    }

    /// The script warns of them in the text. The form contains only names that the user may see.
    @Test func `The form names the people its reader may see`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let guest = try await app.makeUser("visitor", role: .guest)
            try await app.stores.add(Membership(teamID: team.id, userID: guest.id, role: .member))
            _ = try await app.makeTeam("Red")
            let page = try await app.browser(of: team.lead.user).get(team.votePath)
            expectPage(page, saying: "data-own-names=\"blue0\" data-names=\"blue1\nblue2\nvisitor\"")
            expectPage(try await app.browser(of: guest).get(team.votePath), saying: "data-names=\"\"")
        }
    }

    @Test(.thorough) func `The names of a large team are too many for a page`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            for number in 0...VotePage.maximumNames {
                let user = User(name: try UserName("m\(number)"), email: try EmailAddress("m\(number)@example.org"))
                try await app.stores.insert(user)
                try await app.stores.add(Membership(teamID: team.id, userID: user.id, role: .member))
                guard number >= VotePage.maximumNames - 1 else { continue }
                let page = try await app.browser(of: team.lead.user).get(team.votePath).text
                #expect(page.contains("data-names=\"m0\n") == (number < VotePage.maximumNames))
            }
        }
    }

    @Test func `A ballot is counted once, and its text is stored`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let text = "One%0D%0Atwo%20%C3%A4"
            #expect(try await browser.vote(in: team, "7.5", feedback: text).status == .seeOther)
            let tally = try #require(try await app.tally(of: team))
            #expect(tally.count == 1 && tally.sum == 75)
            #expect(try await browser.get(team.votePath).headers[.location] == team.pagePath)

            let second = try await browser.vote(in: team, "1", feedback: "my%20second%20thought")
            expectPage(second, 409, saying: "Your first vote counts.")
            #expect(second.text.contains("my second thought"), "what was written is not lost")
            #expect(try await app.tally(of: team) == tally)
        }
    }

    @Test(arguments: [("", 400), ("11", 422), ("-1", 400), ("seven", 400), ("7,5", 400)])
    func `An invalid value brings the form back with the text`(value: String, status: Int) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let response = try await browser.vote(in: team, value, feedback: "%3Cb%3Ewarm%20words")
            expectPage(response, status, saying: "Please choose a value from 0 to 10.")
            #expect(response.text.contains("&lt;b&gt;warm words</textarea>"))
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `A text that is too long brings the form back with the text and the value`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let text = String(repeating: "a", count: 2_001)
            let response = try await browser.vote(in: team, "4", feedback: text)
            expectPage(response, 422, saying: "The text is too long.")
            #expect(response.text.contains(text) && response.text.contains(#"value="4" required checked>"#))
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `A reminded member can be reminded again tomorrow`() async throws {
        // Sunday; the reminder was on Monday.
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let anna = team.lead.user
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: team.votePath)
            #expect(try await browser.get(team.votePath).text.contains("Remind me tomorrow"))
            let question = try await browser.get("\(team.votePath)/later")
            expectPage(question, saying: "<button>Remind me tomorrow</button>")
            #expect(try await app.stores.absences(of: anna.id).isEmpty, "a GET changes nothing")
            let page = try await browser.post("\(team.votePath)/later", form: "formToken=\(token)")
            expectPage(page, saying: "We’ll remind you on 26\u{a0}January, unless you’ve voted by then.")
            let absences = try await app.stores.absences(of: anna.id).map { "\($0.first) \($0.last)" }
            #expect(absences == ["2026-01-19 2026-01-25"])

            _ = try await app.vote(team.lead, in: team)
            let late = try await browser.post("\(team.votePath)/later", form: "formToken=\(token)")
            #expect(late.status == .seeOther)
            #expect(try await browser.get("\(team.votePath)/later").headers[.location] == team.pagePath)
            #expect(try await app.stores.absences(of: anna.id).count == 1)
            let elsewhere = try await browser.post("\(team.votePath)/later", form: "formToken=x")
            #expect(elsewhere.status == .forbidden)

            let quiet = try await app.browser(of: team.members[1].user)
            _ = try await app.stores.update(
                id: team.members[1].user.id, UserUpdate(notifications: NotificationChange(push: false, mail: false)))
            #expect(try await !quiet.get(team.votePath).text.contains("Remind me"))
            try await app.stores.update(ReminderSettings(isOn: false), of: team.id)
            let unreminded = try await app.browser(of: team.members[2].user)
            #expect(try await !unreminded.get(team.votePath).text.contains("Remind me"))
        }
    }

    @Test func `A form from another site counts nothing`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let foreign = try await app.browser(of: team.members[1].user).formToken(on: team.votePath)
            for token in ["", "formToken=&", "formToken=abc&", "formToken=\(foreign)&"] {
                let response = try await browser.post(
                    team.plainVotePath, form: "\(token)sprint=2026/2&happiness=7&feedback=kept")
                expectPage(response, 403, saying: "This form is out of date.")
                // It may be another user's vote.
                #expect(!response.text.contains("kept") && !response.text.contains("checked"))
            }
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `A form from before the log-in returns to its author`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let before = try await app.browser(of: team.lead.user).formToken(on: team.votePath)
            let browser = try await app.browser(of: team.lead.user)
            let response = try await browser.post(
                team.plainVotePath, form: "formToken=\(before)&sprint=2026/2&happiness=7&feedback=kept")
            expectPage(response, 403, saying: "This form is out of date.")
            #expect(
                response.text.contains("kept</textarea>") && response.text.contains(#"value="7" required checked>"#))
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `A form of a sprint that is over is offered again for the next one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let token = try await browser.formToken(on: team.votePath)
            app.clock.advance(by: 14 * 86_400)
            let response = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=late")
            expectPage(response, 422, saying: "is over")
            #expect(response.text.contains(#"name="sprint" value="2026/3""#))
            #expect(
                response.text.contains("late</textarea>") && response.text.contains(#"value="7" required checked>"#))
        }
    }

    @Test func `A member who joins a complete sprint cannot vote`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let late = try await app.makeUser("late")
            try await app.stores.add(Membership(teamID: team.id, userID: late.id))
            app.clock.advance(by: 2)
            let browser = try await app.browser(of: late)
            #expect(try await browser.get(team.votePath).headers[.location] == team.pagePath)
            let page = try await browser.get(team.pagePath).text
            #expect(page.contains(">This sprint is closed</h2>") && page.contains("Everyone has voted"))
            let german = try await browser.get("\(team.pagePath)?language=de").text
            #expect(german.contains(">Dieser Sprint ist geschlossen</h2>"))
            let response = try await browser.vote(in: team, "7", feedback: "hello")
            expectPage(response, 409, saying: "This vote wasn’t counted")
            #expect(response.text.contains("Everyone has voted in this sprint"))
        }
    }

    @Test func `Someone else's team takes no vote`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue")
            let other = try await app.makeTeam("Red")
            let stranger = try await app.browser(of: other.lead.user)
            let token = try await stranger.formToken(on: other.pagePath)
            let response = try await stranger.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7")
            expectPage(response, 404, saying: "This team doesn’t exist")
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }
}
