import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// A team's name, settings and members, through the API.
@Suite struct TeamManagementRouteTests {
    @Test func `A lead changes only the fields in the body`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let change =
                #"{"name":"Navy","threshold":4,"policy":"close","calendar":"cadence:2026-01-05:3","graceDays":null}"#
            let response = try await app.patch(team.path, token: team.lead.token, json: change)
            #expect(response.status == .ok, "\(response.classic)")
            let object = response.object
            #expect(object["name"] as? String == "Navy" && object["threshold"] as? Int == 4)
            #expect(object["calendar"] as? String == "cadence:2026-01-05:3" && object["role"] as? String == "lead")
            let settings = try #require(try await app.stores.team(team.id)).settings
            #expect(settings.policy == .close && settings.timeZone == "UTC" && settings.graceDays == 0)
        }
    }

    @Test(arguments: [
        (#"{"threshold":1}"#, 422, "from 2 to 50"), (#"{"threshold":"3"}"#, 400, "threshold"),
        (#"{"timeZone":"Mars/Base"}"#, 422, "time zone"), (#"{"calendar":"weekly"}"#, 400, "calendar"),
        (#"{"policy":"never"}"#, 400, "policy"), (#"{"name":"  "}"#, 422, "empty"),
        (#"{"name":"red"}"#, 409, "already a team"),
    ])
    func `Invalid changes are refused`(json: String, status: Int, detail: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            try await app.stores.insert(Team(name: "Red"))
            expectRejection(
                try await app.patch(team.path, token: team.lead.token, json: json), status, saying: detail)
            #expect(try await app.stores.team(team.id)?.name == "Blue")
        }
    }

    @Test func `A raised threshold applies to the running sprint`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 6)
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            let above = try await app.patch(team.path, token: team.lead.token, json: #"{"threshold":7}"#)
            expectRejection(above, 422, saying: "the team has 6 members")
            #expect(above.object["type"] as? String == "/api#threshold-above-members")
            _ = try await app.patch(team.path, token: team.lead.token, json: #"{"threshold":6}"#)
            // Published states are cached for a second.
            app.clock.advance(by: 2)
            let current = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            let sprint = try #require(current.object["sprint"] as? [String: Any])
            #expect(sprint["threshold"] as? Int == 6)
        }
    }

    @Test func `Members are listed without their addresses`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let response = try await app.get("\(team.path)/members", token: team.members[1].token)
            let members = try #require(response.object["members"] as? [[String: Any]])
            #expect(members.map { $0["name"] as? String } == ["blue0", "blue1"])
            #expect(members.map { $0["role"] as? String } == ["lead", "member"])
            #expect(Set(members[0].keys) == ["id", "name", "role", "picture"])
            #expect(!response.text.contains("@"))
        }
    }

    @Test func `Members are listed in pages to those who ask for one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            let (path, token) = ("\(team.path)/members", team.members[1].token)
            let everyone = try await app.get(path, token: token)
            #expect(Set(everyone.object.keys) == ["members"])
            #expect(Self.ids(everyone) == team.members.map(\.user.id.description))

            let ids = team.members.map(\.user.id.description).sorted()
            var found: [String] = []
            var address: String? = "\(path)?limit=2"
            while let present = address {
                let page = try await app.get(present, token: token)
                #expect(page.status == .ok && Set(page.object.keys) == ["members", "nextAfter"], "\(page.classic)")
                let members = try #require(page.object["members"] as? [[String: Any]])
                #expect(members.allSatisfy { Set($0.keys) == ["id", "name", "role", "picture"] })
                #expect(!page.text.contains("@"))
                found += Self.ids(page)
                address = (page.object["nextAfter"] as? String).map { "\(path)?limit=2&after=\($0)" }
            }
            #expect(found == ids)

            let rest = try await app.get("\(path)?after=\(ids[1])", token: token)
            #expect(Self.ids(rest) == Array(ids[2...]) && rest.text.contains(#""nextAfter":null"#))
            // The next page begins after a member who has left meanwhile.
            let leaving = try #require(team.members.dropFirst(2).first)
            try await app.stores.remove(userID: leaving.user.id, from: team.id)
            let after = leaving.user.id.description
            let next = try await app.get("\(path)?limit=200&after=\(after)", token: token)
            #expect(Self.ids(next) == ids.filter { $0 > after })
        }
    }

    @Test func `A page of members is refused as the whole list, and if it is malformed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let path = "\(team.path)/members"
            let id = team.lead.user.id
            for limit in ["0", "201", "-1", "x"] {
                expectRejection(
                    try await app.get("\(path)?limit=\(limit)", token: team.lead.token), 400, saying: "limit")
            }
            for after in ["x", "\(id)0", "\(id):blue0"] {
                expectRejection(
                    try await app.get("\(path)?limit=2&after=\(after)", token: team.lead.token), 400,
                    saying: "nextAfter")
            }
            let stranger = try await app.makeTeam("Red").lead.token
            expectRejection(try await app.get("\(path)?limit=2", token: stranger), 404)
            expectRejection(try await app.get("\(path)?limit=2"), 401)

            let guest = try await app.makeUser("guest", role: .guest)
            try await app.stores.add(Membership(teamID: team.id, userID: guest.id))
            let own = try await app.get("\(path)?limit=1", token: try await app.token(of: guest))
            #expect(Self.ids(own) == [guest.id.description] && own.text.contains(#""nextAfter":null"#))
        }
    }

    private static func ids(_ response: TestResponse) -> [String] {
        (response.object["members"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []
    }

    @Test func `Roles are changed, and members removed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let (lead, second, third) = (team.members[0], team.members[1], team.members[2])
            func path(_ member: SignedInTeam.Member) -> String { "\(team.path)/members/\(member.user.id)" }
            let only = try await app.patch(path(lead), token: lead.token, json: #"{"role":"member"}"#)
            expectRejection(only, 409, saying: "only lead")
            #expect(only.object["type"] as? String == "/api#only-lead")
            let made = try await app.patch(path(second), token: lead.token, json: #"{"role":"lead"}"#)
            #expect(made.object["role"] as? String == "lead", "\(made.classic)")
            #expect(try await app.send(.delete, path(third), token: second.token).status == .noContent)
            expectRejection(try await app.get("\(team.path)/members", token: third.token), 404)
            expectRejection(
                try await app.send(.delete, path(third), token: second.token), 404, saying: "isn’t in the team")
            expectRejection(
                try await app.send(.delete, "\(team.path)/members/nobody", token: lead.token), 404,
                saying: "isn’t in the team")
        }
    }

    @Test func `Others may not, and an administrator reads no results`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let other = try await app.makeTeam("Red")
            let admin = try await app.token(of: try await app.makeUser("root", role: .admin))
            let member = "\(team.path)/members/\(team.members[1].user.id)"
            for (token, status) in [(team.members[1].token, 403), (other.lead.token, 404)] {
                expectRejection(try await app.patch(team.path, token: token, json: #"{"threshold":4}"#), status)
                expectRejection(try await app.patch(member, token: token, json: #"{"role":"lead"}"#), status)
                expectRejection(try await app.send(.delete, member, token: token), status)
            }
            expectRejection(try await app.get("\(team.path)/members", token: other.lead.token), 404)
            #expect(try await app.get("\(team.path)/members", token: admin).status == .ok)
            let changed = try await app.patch(team.path, token: admin, json: #"{"threshold":4}"#)
            #expect(changed.status == .ok && changed.object["role"] == nil)
            let read = try await app.get(team.path, token: admin)
            #expect(read.status == .ok && read.text == changed.text)
            expectRejection(try await app.get("\(team.path)/sprints", token: admin), 404)
            let own = try await app.patch(
                "\(team.path)/members/\(team.members[1].user.id)", token: admin, json: #"{"role":"lead"}"#)
            #expect(own.status == .ok)
        }
    }
}
