import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The board of actions and its forms, without a script.
@Suite struct ActionPagesTests {
    @Test func `An action moves across the board with forms alone`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let path = team.actionsPath
            let browser = try await app.browser(of: team.lead.user)
            expectPage(try await browser.get(path), saying: "No actions yet")
            let token = try await browser.formToken(on: "\(path)/new")
            let member = team.members[1].user
            let added = try await browser.post(
                path,
                form: "formToken=\(token)&title=Shorter+daily&notes=One%0D%0ATwo"
                    + "&assignee=\(member.id)&due=2026-01-20")
            #expect(added.status == .seeOther && added.headers[.location] == "\(path)?done=added")
            let board = try await browser.get("\(path)?done=added")
            expectPage(board, saying: "Action added.")
            // The default time of these tests is 21 January.
            for text in [
                "Shorter daily", member.name, "Overdue since 20 Jan 2026",
                "Added in the sprint of 19\u{a0}Jan\u{a0}2026",
            ] {
                #expect(board.text.contains(text), "\(text)")
            }
            let id = try #require(board.text.firstMatch(of: /id="action-([0-9a-f]{32})"/)).output.1

            let moved = try await browser.post(
                "\(path)/\(id)/move", form: "formToken=\(token)&version=1&state=inProgress")
            #expect(moved.headers[.location] == "\(path)?done=moved")
            expectPage(
                try await browser.post("\(path)/\(id)/move", form: "formToken=\(token)&version=1&state=done"), 409,
                saying: "Someone else changed this in the meantime")
            #expect(try await browser.get(path).text.contains("Started in the sprint of 19\u{a0}Jan\u{a0}2026"))

            let form = "formToken=\(token)&notes=Mine&assignee=&due="
            let stale = try await browser.post("\(path)/\(id)", form: "\(form)&version=1&title=Mine+too")
            expectPage(stale, 409, saying: "If you save your version below, it replaces theirs.")
            #expect(stale.text.contains("value=\"Mine too\"") && stale.text.contains("name=\"version\" value=\"2\""))
            let changed = try await browser.post("\(path)/\(id)", form: "\(form)&version=2&title=Mine+too")
            #expect(changed.headers[.location] == "\(path)?done=changed")
            expectPage(
                try await browser.post("\(path)/\(id)", form: "\(form)&version=3&title=+"), 422,
                saying: "Please say in one line what you want to change.")

            let deleted = try await browser.post("\(path)/\(id)/delete", form: "formToken=\(token)&version=3")
            #expect(deleted.headers[.location] == "\(path)?done=deleted")
            expectPage(try await browser.get("\(path)/\(id)"), 404, saying: "This action no longer exists.")
        }
    }

    @Test func `A member says me too with a form, and takes it back`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let browser = try await app.browser(of: team.members[1].user)
            let path = team.actionsPath
            expectPage(try await browser.get("\(path)/new"), saying: "only team leads can change it")
            let token = try await browser.formToken(on: "\(path)/new")
            #expect(try await browser.post(path, form: "formToken=\(token)&title=Tea").status == .seeOther)
            let board = try await browser.get(path).text
            let id = try #require(board.firstMatch(of: /id="action-([0-9a-f]{32})"/)).output.1
            #expect(!board.contains("“me too”"))
            let said = try await browser.post("\(path)/\(id)/support", form: "formToken=\(token)&supports=yes")
            #expect(said.headers[.location] == "\(path)?done=supported#action-\(id)")
            for page in [path, "\(path)/\(id)"] {
                expectPage(try await browser.get(page), saying: "1 person says “me too”")
            }
            let taken = try await browser.post("\(path)/\(id)/support", form: "formToken=\(token)&supports=no")
            #expect(taken.headers[.location] == "\(path)?done=withdrawn#action-\(id)")
            #expect(try await !browser.get(path).text.contains("1 person says"))
        }
    }

    @Test func `A member reads and moves their own actions`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(actionAuthors: .leads))
            let (lead, member) = (
                try await app.browser(of: team.lead.user), try await app.browser(of: team.members[1].user)
            )
            let path = team.actionsPath
            let leadToken = try await lead.formToken(on: "\(path)/new")
            for (title, assignee) in [("Mine", "\(team.members[1].user.id)"), ("Yours", "")] {
                let form = "formToken=\(leadToken)&title=\(title)&notes=How&assignee=\(assignee)"
                #expect(try await lead.post(path, form: form).status == .seeOther)
            }
            let board = try await member.get(path)
            expectPage(board, saying: "Mine")
            #expect(!board.text.contains("New action"))
            #expect(board.text.matches(of: /class="handle"/).count == 1)
            let ids = board.text.matches(of: /id="action-([0-9a-f]{32})"/).map { $0.output.1 }
            let own = try await member.get("\(path)/\(try #require(ids.first))")
            expectPage(own, saying: "How")
            #expect(own.text.contains("Move to") && !own.text.contains("name=\"title\""))
            let other = try await member.get("\(path)/\(try #require(ids.last))").text
            #expect(other.contains("How") && !other.contains("Move to"))

            let token = try await member.formToken(on: path)
            let move = "formToken=\(token)&version=1&state=done"
            #expect(try await member.post("\(path)/\(ids[0])/move", form: move).status == .seeOther)
            for (address, form) in [
                ("\(path)/\(ids[1])/move", move), (path, "formToken=\(token)&title=New"),
                ("\(path)/\(ids[1])", "formToken=\(token)&version=1&title=New"),
                ("\(path)/\(ids[1])/delete", "formToken=\(token)&version=1"),
            ] {
                expectPage(
                    try await member.post(address, form: form), 403, saying: "Only team leads can do this.")
            }
            expectPage(try await member.get("\(path)/new"), 403, saying: "Only team leads can do this.")
            let stranger = try await app.browser(of: try await app.makeUser("eve"))
            expectPage(try await stranger.get(path), 404, saying: "This team doesn’t exist")
        }
    }

    @Test func `A form from another site or without its token is refused`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let browser = try await app.browser(of: team.lead.user)
            for address in [team.actionsPath, "\(team.actionsPath)/new"] {
                expectPage(try await browser.post(address, form: "formToken=x&title=a"), 403)
                expectPage(try await browser.post(address, form: "title=a"), 403)
            }
            let board = try await app.get("\(team.path)/actions", token: team.lead.token)
            #expect(!board.text.contains("\"title\""))
        }
    }

    @Test func `A lead creates an action from a feedback, which is copied`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5, settings: TeamSettings(feedbackReaders: .leads))
            for member in team.members {
                let vote = try await app.vote(member, in: team, feedback: "Too \"many\" <meetings>")
                #expect(vote.status == .created)
            }
            let lead = try await app.browser(of: team.lead.user)
            let sprint = try await lead.get("/teams/\(team.id)/sprints/2026/2").text
            let hidden = sprint.matches(of: /name="quote" value="([^"]*)"/).map { String($0.output.1) }
            #expect(hidden == Array(repeating: "Too &quot;many&quot; &lt;meetings&gt;", count: 5))
            #expect(sprint.contains("name=\"quoteSprint\" value=\"2026/2\""))

            let token = try await lead.formToken(on: team.actionsPath + "/new")
            let quote = "quote=Too+%22many%22+%3Cmeetings%3E"
            let form = try await lead.post(
                "\(team.actionsPath)/new", form: "formToken=\(token)&\(quote)&quoteSprint=2026/2")
            expectPage(form, saying: "Too &quot;many&quot; &lt;meetings&gt;</textarea>")
            #expect(form.text.contains("Only team leads can read it"))
            let added = try await lead.post(
                team.actionsPath, form: "formToken=\(token)&title=Less&\(quote)&quoteSprint=2026/2")
            #expect(added.status == .seeOther)
            #expect(try await lead.get(team.actionsPath).text.contains("From feedback"))

            let member = try await app.browser(of: team.members[1].user)
            let board = try await member.get(team.actionsPath).text
            #expect(board.contains("Less") && !board.contains("From feedback"))
            #expect(try await !member.get("/teams/\(team.id)/sprints/2026/2").text.contains("name=\"quote\""))
        }
    }

    @Test func `A copy is for the team if its sprint is, and says so before it is created`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let lead = try await app.browser(of: team.lead.user)
            let member = try await app.browser(of: team.members[1].user)
            let token = try await lead.formToken(on: team.actionsPath + "/new")
            for (sprint, hint, isRead) in [("2026/2", "the whole team", true), ("", "Only team leads", false)] {
                let fields = "formToken=\(token)&quote=Meetings&quoteSprint=\(sprint)"
                let form = try await lead.post("\(team.actionsPath)/new", form: fields)
                expectPage(form, saying: "\(hint) can read")
                #expect(form.text.contains("name=\"quoteSprint\" value=\"\(sprint)\""))
                #expect(try await lead.post(team.actionsPath, form: "\(fields)&title=Less").status == .seeOther)
                let board = try await member.get(team.actionsPath).text
                #expect(board.contains("From feedback"))
                let ids = board.matches(of: /id="action-([0-9a-f]{32})"/).map { String($0.output.1) }
                let last = try #require(ids.last)
                #expect(try await member.get("\(team.actionsPath)/\(last)").text.contains("blockquote") == isRead)
                // Saving the form unchanged does not change who may read the copy.
                let page = try await lead.get("\(team.actionsPath)/\(last)")
                expectPage(page, saying: "\(hint) can read")
                let saved = try await lead.post(
                    "\(team.actionsPath)/\(last)", form: "formToken=\(token)&version=1&title=Less&quote=Meetings")
                #expect(saved.status == .seeOther)
                #expect(try await member.get("\(team.actionsPath)/\(last)").text.contains("blockquote") == isRead)
            }
        }
    }

    @Test func `A sprint and the history name the actions that began then`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            for member in team.members { #expect(try await app.vote(member, in: team).status == .created) }
            let sprint = ActionSprint(
                start: TestTeam.firstMonday + 14 * TestTeam.day, label: SprintLabel(year: 2026, number: 2))
            let action = Action(
                teamID: team.id, content: ActionContent(title: "Shorter <daily>"), state: .done, made: sprint,
                began: sprint)
            try await app.stores.insert(action, at: .last)
            let browser = try await app.browser(of: team.members[1].user)
            let history = try await browser.get("/teams/\(team.id)/history").text
            #expect(history.contains("data-begun=\"Started in the sprint of 19\u{a0}Jan: Shorter &lt;daily&gt;\""))
            #expect(history.contains("Start of an action"))
            let page = try await browser.get("/teams/\(team.id)/sprints/2026/2").text
            #expect(page.contains("Started in this sprint"))
            #expect(page.contains("href=\"\(team.actionsPath)/\(action.id)\">Shorter &lt;daily&gt;</a>"))
        }
    }
}

extension SignedInTeam {
    var actionsPath: String { "/teams/\(id)/actions" }
}
