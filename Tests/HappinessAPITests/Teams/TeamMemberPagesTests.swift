import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The forms for members, invitations and the share link.
@Suite struct TeamMemberPagesTests {
    private struct Desk {
        let browser: Browser
        let path: String
        let token: String

        init(_ app: TestApp, _ team: SignedInTeam, _ user: User) async throws {
            browser = try await app.browser(of: user)
            path = "\(team.managePath)/members"
            token = try await browser.formToken(on: path)
        }

        func post(_ form: String, _ fields: String) async throws -> TestResponse {
            try await browser.post("\(path)/\(form)", form: "formToken=\(token)&\(fields)")
        }
    }

    @Test func `Members are shown with pictures and roles`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let page = try await app.browser(of: team.lead.user).get("\(team.managePath)/members")
            expectPage(page, saying: "blue1")
            #expect(page.text.contains("/pictures/initials/") && page.text.contains(">Team lead<"))
            #expect(!page.text.contains("blue1@example.org"))
            // Everyone chooses their display name, also a colleague's.
            try await app.stores.update(
                id: team.members[1].user.id, UserUpdate(displayName: .set(try DisplayName("blue0"))))
            let renamed = try await app.browser(of: team.lead.user).get("\(team.managePath)/members")
            #expect(renamed.text.contains(#"<strong>blue0</strong> <span class="hint">blue1</span>"#))
        }
    }

    /// Adds members who cannot log in, `m10` and so on.
    private static func addMembers(_ count: Int, to team: SignedInTeam, _ app: TestApp) async throws {
        for number in 10..<10 + count { try await addMember("m\(number)", to: team, app) }
    }

    @discardableResult
    private static func addMember(_ name: String, to team: SignedInTeam, _ app: TestApp) async throws -> User {
        let user = User(name: try UserName(name), email: try EmailAddress("\(name)@example.org"))
        try await app.stores.insert(user)
        try await app.stores.add(Membership(teamID: team.id, userID: user.id))
        return user
    }

    /// The address of the next page of the list; `nil` if there is none.
    private static func next(on page: TestResponse) -> String? {
        page.text.firstMatch(of: /href="([^"]+)" rel="next"/).map {
            String($0.output.1).replacing("&amp;", with: "&")
        }
    }

    @Test func `A team of fifty has one page, without a search`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            try await Self.addMembers(48, to: team, app)
            let desk = try await Desk(app, team, team.lead.user)
            let page = try await desk.browser.get(desk.path)
            expectPage(page, saying: "<strong>m57</strong>")
            #expect(!page.text.contains("class=\"pager\"") && !page.text.contains("name=\"search\""))
            #expect(page.text.contains("<strong>blue0</strong>") && !page.text.contains("/lists.css"))
        }
    }

    @Test func `A larger team has pages, and only the first one shows invitations and the share link`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            try await Self.addMembers(48, to: team, app)
            let zoe = try await Self.addMember("zoe", to: team, app)
            let desk = try await Desk(app, team, team.lead.user)
            let first = try await desk.browser.get(desk.path)
            expectPage(first, saying: "<strong>m57</strong>")
            #expect(!first.text.contains("<strong>zoe</strong>") && !first.text.contains("First page"))
            #expect(first.text.contains("name=\"emails\"") && first.text.contains("Share the results"))
            #expect(first.text.contains("name=\"search\"") && first.text.contains("/lists.css"))

            let next = try #require(Self.next(on: first))
            let second = try await desk.browser.get(next)
            expectPage(second, saying: "<strong>zoe</strong>")
            #expect(!second.text.contains("<strong>m57</strong>") && second.text.contains("First page"))
            #expect(!second.text.contains("name=\"emails\"") && !second.text.contains("Share the results"))
            #expect(Self.next(on: second) == nil)

            // A form leads back to its page of the list.
            let place = try #require(next.split(separator: "?").last)
            #expect(second.text.contains("action=\"\(desk.path)/role?\(place)\""))
            #expect(second.text.contains("action=\"\(desk.path)/remove?\(place)\""))
            let refused = try await desk.post("role?\(place)", "user=\(team.lead.user.id)&role=member")
            expectPage(refused, 409, saying: "<strong>zoe</strong>")
            let made = try await desk.post("role?\(place)", "user=\(zoe.id)&role=lead")
            #expect(made.headers[.location] == "\(next)&done=role")
            let removed = try await desk.post("remove?\(place)", "user=\(zoe.id)")
            #expect(removed.headers[.location] == "\(next)&done=removed")
            // Nobody is left on it, so the first page is shown.
            let empty = try await desk.browser.get("\(next)&done=removed")
            expectPage(empty, saying: "<strong>m57</strong>")
            #expect(!empty.text.contains("name=\"search\"") && empty.text.contains("role=\"status\""))
        }
    }

    @Test func `The search of a larger team finds names but no addresses`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            try await Self.addMembers(48, to: team, app)
            let zoe = try await Self.addMember("zoe", to: team, app)
            let desk = try await Desk(app, team, team.lead.user)
            let found = try await desk.browser.get("\(desk.path)?search=ZO")
            expectPage(found, saying: "<strong>zoe</strong>")
            #expect(found.text.contains("value=\"ZO\"") && !found.text.contains("<strong>m10</strong>"))
            expectPage(try await desk.browser.get("\(desk.path)?search=zoe%40ex"), saying: "No one found.")
            let unknown = try await desk.browser.get("\(desk.path)?search=m&after=nonsense")
            expectPage(unknown, saying: "<strong>m10</strong>")

            let made = try await desk.post("role?search=ZO", "user=\(zoe.id)&role=lead")
            #expect(made.headers[.location] == "\(desk.path)?search=ZO&done=role")
        }
    }

    @Test func `Roles are changed, and the only lead stays`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let desk = try await Desk(app, team, team.lead.user)
            let (lead, member) = (team.lead.user.id, team.members[1].user.id)
            expectPage(try await desk.post("role", "user=\(lead)&role=member"), 409, saying: "the team’s only lead")
            expectPage(try await desk.post("remove", "user=\(lead)"), 409, saying: "the team’s only lead")
            let made = try await desk.post("role", "user=\(member)&role=lead")
            #expect(made.headers[.location] == "\(desk.path)?done=role")
            let down = try await desk.post("role", "user=\(lead)&role=member")
            #expect(down.headers[.location] == team.pagePath)
            expectPage(try await desk.browser.get(desk.path), 403)
        }
    }

    @Test func `A member is removed and sees nothing more`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let desk = try await Desk(app, team, team.lead.user)
            let member = team.members[1]
            let response = try await desk.post("remove", "user=\(member.user.id)")
            #expect(response.headers[.location] == "\(desk.path)?done=removed")
            expectPage(try await app.browser(of: member.user).get(team.pagePath), 404)
            expectPage(try await desk.post("remove", "user=\(member.user.id)"), 422, saying: "no longer in the team")
        }
    }

    @Test func `An administrator makes others leads, but not themselves`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let admin = try await app.makeUser("root", role: .admin)
            try await app.stores.add(Membership(teamID: team.id, userID: admin.id))
            let desk = try await Desk(app, team, admin)
            expectPage(
                try await desk.post("role", "user=\(admin.id)&role=lead"), 422, saying: "You can’t make yourself")
        }
    }

    @Test func `Several people are invited at once, and those who are not are named`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let desk = try await Desk(app, team, team.lead.user)
            let two = "eva@example.org%0D%0Atom@example.org%2C"
            let good = try await desk.post("invite", "emails=\(two)&role=lead&language=de")
            #expect(good.headers[.location] == "\(desk.path)?done=invited", "\(good.classic)")
            let pending = try await app.stores.read {
                try $0.invitations(teamID: team.id, inviterID: nil, after: nil, limit: 10)
            }
            #expect(pending.map(\.email) == ["eva@example.org", "tom@example.org"])
            #expect(pending.allSatisfy { $0.teamRole == .lead && $0.locale == "de" && $0.role == .member })

            let several = "new@example.org nonsense eva@example.org blue1@example.org"
            let mixed = try await desk.post("invite", "emails=\(several.formEncoded)")
            expectPage(mixed, saying: "This isn’t an e-mail address")
            #expect(mixed.text.contains("already has an invitation") && mixed.text.contains("Already in the team."))
            #expect(mixed.text.contains("<strong>new@example.org</strong> <span>The invitation is on its way."))
            let none = try await desk.post("invite", "emails=nonsense")
            expectPage(none, 422, saying: ">nonsense</textarea>")
            expectPage(try await desk.post("invite", "emails=%20"), 422, saying: "at least one")

            let mail = "\"Müller, Ida\" <ida@example.org>; Oz <oz@example.org>"
            let invited = try await desk.post("invite", "emails=\(mail.formEncoded)")
            #expect(invited.headers[.location] == "\(desk.path)?done=invited", "\(invited.classic)")
            let export = "Name\tE-Mail\tStatus\nUte\tute@example.org\tActive\nMax\tmax@example.org\tDeactivated"
            let table = try await desk.post("invite", "emails=\(export.formEncoded)")
            expectPage(table, saying: "The list says that this account is disabled.")
            #expect(table.text.contains("<strong>ute@example.org</strong> <span>The invitation is on its way."))
        }
    }

    @Test func `After an error, the form is as it was sent`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let desk = try await Desk(app, team, team.lead.user)
            for emails in ["nonsense", "new@example.org nonsense", "%20"] {
                let page = try await desk.post("invite", "emails=\(emails.formEncoded)&role=lead&language=de")
                for choice in ["lead", "de"] {
                    #expect(page.text.contains("<option value=\"\(choice)\" selected>"), "\(emails): \(choice)")
                }
            }
            let page = try await desk.browser.get(desk.path)
            #expect(page.text.contains("<option value=\"member\" selected>"))
            #expect(page.text.contains("<option value=\"en\" selected>"))
        }
    }

    @Test func `Invitations are sent again and withdrawn`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let desk = try await Desk(app, team, team.lead.user)
            _ = try await desk.post("invite", "emails=eva@example.org")
            let id = try #require(
                try await app.stores.read { try $0.invitations(teamID: team.id, inviterID: nil, after: nil, limit: 10) }
                    .first?.id)
            expectPage(try await desk.browser.get(desk.path), saying: "Invited on 25 January 2026")
            let again = try await desk.post("resend", "invitation=\(id)")
            #expect(again.headers[.location] == "\(desk.path)?done=resent", "\(again.classic)")
            let gone = try await desk.post("withdraw", "invitation=\(id)")
            #expect(gone.headers[.location] == "\(desk.path)?done=withdrawn")
            expectPage(
                try await desk.post("withdraw", "invitation=\(id)"), 404, saying: "This invitation no longer exists")
        }
    }

    @Test func `The share link is shown once, and to leads only`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let desk = try await Desk(app, team, team.lead.user)
            let made = try await desk.post("share", "")
            expectPage(made, saying: "It’s shown only once")
            let links = made.text.matches(of: /value="https?:\/\/[^\/"]+(\/[^"]*shared\/[^"]+)"/).map {
                String($0.output.1)
            }
            #expect(links.count == 2)
            for link in links { #expect(try await app.get(link).status == .ok, "\(link)") }
            let page = try await desk.browser.get(desk.path)
            expectPage(page, saying: "There’s a link.")
            #expect(!page.text.contains("shared/"))
            let ended = try await desk.post("unshare", "")
            #expect(ended.headers[.location] == "\(desk.path)?done=unshared")
            for link in links { #expect(try await app.get(link).status == .notFound, "\(link)") }

            let admin = try await Desk(app, team, try await app.makeUser("root", role: .admin))
            #expect(try await !admin.browser.get(admin.path).text.contains("Share the chart"))
            expectPage(try await admin.post("share", ""), 404)
        }
    }
}
