import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The search finds what its user may see, and nothing else.
@Suite struct SearchRouteTests {
    private struct Response: Decodable {
        struct Match: Decodable {
            let kind: String
            let title: String
            let detail: String
            let address: String
        }
        let matches: [Match]
    }

    private func search(_ typed: String, by token: String, in app: TestApp) async throws -> [Response.Match] {
        let response = try await app.get("/api/v1/search?search=\(typed)", token: token)
        #expect(response.status == .ok, "\(response.text)")
        return try JSONDecoder().decode(Response.self, from: Data(response.text.utf8)).matches
    }

    @Test func `Members find colleagues, sprints, actions, feedback and pages of their teams`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints([(2025, 26, 5, 9), (2026, 1, 6, 9)], of: team, feedback: ["The Build is slow"])
            let sprint = ActionSprint(
                start: try #require(try await app.stores.sprints(of: team.id, matching: .all).first).sprint
                    .start, label: SprintLabel(year: 2026, number: 1))
            let action = Action(
                teamID: team.id, content: ActionContent(title: "Quicker builds", notes: "with a cache"), made: sprint)
            try await app.stores.insert(action, at: .standard(in: action.state))
            let token = team.members[1].token

            let builds = try await search("build", by: token, in: app)
            #expect(builds.map(\.kind) == ["action", "feedback"])
            #expect(builds[0].address == "/teams/\(team.id)/actions/\(action.id)")
            #expect(builds[1].title == "The Build is slow" && builds[1].address.hasSuffix("/sprints/2026/1#feedback"))
            #expect(try await search("cache", by: token, in: app).map(\.title) == ["Quicker builds"])
            #expect(try await search("blue7", by: token, in: app).map(\.kind) == ["person"])
            #expect(try await search("2026/1", by: token, in: app).first?.address == "/teams/\(team.id)/sprints/2026/1")
            let history = try await search("hist", by: token, in: app)
            #expect(history.first?.address == "/teams/\(team.id)/history")
            #expect(try await search("b", by: token, in: app).count == 6)
            #expect(try await search("", by: token, in: app).isEmpty)

            let page = try await app.browser(of: team.members[1].user).get("/search?search=build")
            expectPage(page, saying: "2 matches")
            #expect(page.text.contains("The <mark>Build</mark> is slow"))
            for match in builds {
                let path = match.address.prefix { $0 != "#" }
                expectPage(try await app.browser(of: team.members[1].user).get(String(path)))
            }
        }
    }

    /// What people call a page, and where it is. TEAM is the team's pages.
    private static let calledPages = [
        ("email", "/settings/email"), ("photo", "/settings/picture"), ("foto", "/settings/picture"),
        ("sign%20out", "/settings#log-out"), ("abmelden", "/settings#log-out"), ("privacy", "/settings#data"),
        ("my%20data", "/settings#data"), ("datenschutz", "/settings#data"),
        ("abwesend", "/settings/notifications#away"), ("vacation", "/settings/notifications#away"),
        ("kalender", "/settings/notifications#calendar"), ("passwort", "/settings/password"),
        ("dark%20mode", "/settings#look"), ("abstimmen", "TEAM/vote"), ("einladen", "TEAM/manage/members#invitations"),
    ]

    @Test(arguments: ["en", "de"])
    func `Pages are found by what people call them, in each language`(language: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            for (typed, address) in Self.calledPages {
                let found = try await search("\(typed)&language=\(language)", by: team.lead.token, in: app).first
                #expect(found?.address == address.replacing("TEAM", with: team.pagePath), "\(typed)")
            }
            #expect(try await search("einladen", by: team.members[1].token, in: app).isEmpty)
            #expect(try await search("backup", by: team.lead.token, in: app).isEmpty)
            // The inside of a word of another language.
            #expect(try await search("tschutz", by: team.lead.token, in: app).isEmpty)
        }
    }

    @Test func `A person leads to the page that says most about them`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let other = team.members[1].user
            let led = try #require(try await search(other.name, by: team.lead.token, in: app).first)
            #expect(led.address == "\(team.managePath)/members?search=\(other.name)#people")
            let path = String(led.address.prefix { $0 != "#" })
            expectPage(try await app.browser(of: team.lead.user).get(path), saying: other.name)
            let member = try await search(team.lead.user.name, by: team.members[1].token, in: app).first
            #expect(member?.address == "\(team.pagePath)/actions")
            let admin = try await app.makeUser("root", role: .admin)
            try await app.stores.add(Membership(teamID: team.id, userID: admin.id))
            let seen = try await search(other.name, by: try await app.token(of: admin), in: app)
            #expect(seen.map(\.address) == ["/admin/people/\(other.id)"])
        }
    }

    @Test func `Other teams, unreleased feedback and pages of leads are not found`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            let other = try await app.makeTeam("Red", members: 5)
            try await app.importSprints([(2026, 1, 6, 9)], of: team, feedback: ["Zebra"])
            #expect(try await search("zebra", by: other.lead.token, in: app).isEmpty)
            #expect(try await search("blue", by: other.lead.token, in: app).isEmpty)
            // Two of five votes are below the minimum of three.
            for member in team.members.prefix(2) {
                #expect(try await app.vote(member, in: team, feedback: "Giraffe").status == .created)
            }
            #expect(try await search("giraffe", by: team.lead.token, in: app).isEmpty)
            #expect(try await search("participation", by: team.members[1].token, in: app).isEmpty)
            #expect(try await search("participation", by: team.lead.token, in: app).map(\.kind) == ["page"])
            #expect(try await search("jobs", by: team.lead.token, in: app).isEmpty)
        }
    }

    @Test func `Feedback for leads is found by leads alone`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5, settings: TeamSettings(feedbackReaders: .leads))
            try await app.importSprints([(2026, 1, 6, 9)], of: team, feedback: ["Zebra"])
            #expect(try await search("zebra", by: team.members[1].token, in: app).isEmpty)
            #expect(try await search("zebra", by: team.lead.token, in: app).map(\.kind) == ["feedback"])
        }
    }

    /// They are read 200 at a time, by id.
    @Test func `All members of a large team are found, in the order of their names`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            var users: [User] = []
            for number in 100..<310 {
                let name = "green\(number)"
                let user = User(name: try UserName(name), email: try EmailAddress("\(name)@example.org"))
                try await app.stores.insert(user)
                try await app.stores.add(Membership(teamID: team.id, userID: user.id))
                users.append(user)
            }
            let last = try #require(users.max { $0.id < $1.id })
            #expect(try await search(last.name, by: team.lead.token, in: app).map(\.title) == [last.name])
            let found = try await search("green", by: team.lead.token, in: app).map(\.title)
            #expect(found.count > 1 && found == users.prefix(found.count).map(\.name))
        }
    }

    @Test func `A guest finds no colleagues, and an admin every account and team`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let guest = try await app.makeUser("visitor", role: .guest)
            try await app.stores.add(Membership(teamID: team.id, userID: guest.id, role: .member))
            #expect(try await search("blue1", by: try await app.token(of: guest), in: app).isEmpty)
            let admin = try await app.makeUser("root", role: .admin)
            let token = try await app.token(of: admin)
            let found = try await search("blue", by: token, in: app)
            #expect(found.first?.kind == "team" && found.first?.address == "/teams/\(team.id)/manage")
            #expect(found.dropFirst().first?.address == "/admin/people/\(team.members[0].user.id)")
            try await app.stores.insert(
                User(name: try UserName("Hanna Müller"), email: try EmailAddress("h@example.org")))
            for typed in ["mueller", "MULLER", "hanna%20mull", "anna"] {
                #expect(try await search(typed, by: token, in: app).map(\.title) == ["Hanna Müller"], "\(typed)")
            }
            #expect(try await search("jobs", by: token, in: app).map(\.address) == ["/admin/jobs"])
        }
    }

    @Test func `A feedback on a later page leads to a page that has it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let texts = (0..<70).map { "text\($0) zebra\($0)x" }
            try await app.importSprints([(2026, 1, 6, 9)], of: team, feedback: texts)
            let browser = try await app.browser(of: team.lead.user)
            for number in [0, 20, 40, 69] {
                let found = try await search("zebra\(number)x", by: team.lead.token, in: app)
                let address = try #require(found.first?.address)
                let page = try await browser.get(String(address.prefix { $0 != "#" }))
                expectPage(page, saying: "zebra\(number)x")
            }
        }
    }
}
