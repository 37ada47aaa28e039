import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `/api/v1/admin/people` and `/api/v1/admin/teams`.
@Suite struct UserAdministrationRouteTests {
    private static let people = "/api/v1/admin/people"
    private static let teams = "/api/v1/admin/teams"

    private static func names(_ response: TestResponse, _ list: String = "people") -> [String?] {
        (response.object[list] as? [[String: Any]])?.map { $0["name"] as? String } ?? []
    }

    @Test func `An admin lists everyone and finds them by name or address`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            try await app.stores.insert(
                User(name: UserName("zoe"), email: EmailAddress("Blues@example.org"), role: .guest, isDisabled: true))

            let first = try await app.get("\(Self.people)?limit=2", token: token)
            #expect(Self.names(first) == ["admin", "blue0"])
            #expect(first.object["nextAfter"] as? String == "blue0")
            let next = try await app.get("\(Self.people)?limit=2&after=blue0", token: token)
            #expect(Self.names(next) == ["blue1", "zoe"] && next.text.contains(#""nextAfter":null"#))

            let found = try await app.get("\(Self.people)?search=BLUE", token: token)
            #expect(Self.names(found) == ["blue0", "blue1", "zoe"])
            let people = try #require(found.object["people"] as? [[String: Any]])
            #expect(people[0]["teams"] as? Int == 1 && people[0]["disabled"] as? Bool == false)
            #expect(people[2]["teams"] as? Int == 0 && people[2]["disabled"] as? Bool == true)
            #expect(people[2]["role"] as? String == "guest" && people[2]["email"] as? String == "Blues@example.org")
            #expect(
                people.allSatisfy {
                    Set($0.keys) == ["id", "name", "email", "role", "disabled", "teams", "createdOn"]
                })
            for limit in ["0", "201", "x", "-1"] {
                expectRejection(try await app.get("\(Self.people)?limit=\(limit)", token: token), 400, saying: "limit")
            }

            let person = try await app.get("\(Self.people)/\(team.lead.user.id)", token: token)
            let places = try #require(person.object["teams"] as? [[String: Any]])
            #expect(places.count == 1 && places[0]["name"] as? String == "Blue")
            #expect(places[0]["role"] as? String == "lead")
            expectRejection(try await app.get("\(Self.people)/nonsense", token: token), 404)
        }
    }

    @Test func `An admin deletes a team by its id and its name`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue+Red", members: 2)
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            let path = "\(Self.teams)/\(team.id)"
            expectRejection(try await app.delete(path, token: token, json: ""), 422, saying: "name")
            expectRejection(try await app.delete("\(path)?name=Blue", token: token, json: ""), 422, saying: "name")
            expectRejection(try await app.delete("\(path)?name=Blue", token: team.lead.token, json: ""), 403)
            #expect(try await app.delete("\(path)?name=Blue%2BRed", token: token, json: "").status == .noContent)
            expectRejection(try await app.delete("\(path)?name=Blue%2BRed", token: token, json: ""), 404)
            expectRejection(try await app.get(team.path, token: team.lead.token), 404)
        }
    }

    @Test func `Nobody else learns or changes anything`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let guest = try await app.token(of: app.makeUser("guest", role: .guest))
            let victim = team.members[1].user
            let requests: [(HTTPRequest.Method, String, String)] = [
                (.get, "", ""), (.get, "?search=b", ""), (.get, "/\(victim.id)", ""), (.get, "/nonsense", ""),
                (.patch, "/\(victim.id)", #"{"disabled":true}"#), (.patch, "/\(victim.id)", #"{"email":"a@b.at"}"#),
                (.delete, "/\(victim.id)", ""),
                (.post, "/\(victim.id)/end-sessions", ""), (.post, "/\(victim.id)/password-reset", ""),
            ]
            for (method, path, body) in requests.map({ ($0, Self.people + $1, $2) }) + [
                (.get, Self.teams, ""), (.post, Self.teams, #"{"name":"New"}"#),
            ] {
                for token in [team.lead.token, guest] {
                    let response = try await app.send(
                        method, path, token: token, headers: [.contentType: "application/json"],
                        body: .init(string: body))
                    expectRejection(response, 403, "\(method) \(path)")
                }
                expectRejection(
                    try await app.send(
                        method, path, headers: [.contentType: "application/json"], body: .init(string: body)),
                    401, "\(method) \(path)")
            }
            let untouched = try #require(try await app.stores.user(victim.id))
            #expect(untouched.role == .member && !untouched.isDisabled && untouched.email == victim.email)
            #expect(try await app.get("/api/v1/ping", token: team.members[1].token).status == .noContent)
            #expect(try await app.mails(.passwordReset).isEmpty)
        }
    }

    @Test func `A role changes, and the last admin stays`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            let anna = try await app.makeUser("anna")
            func patch(_ user: User, _ json: String) async throws -> TestResponse {
                try await app.send(
                    .patch, "\(Self.people)/\(user.id)", token: token, headers: [.contentType: "application/json"],
                    body: .init(string: json))
            }
            let promotion = #"{"role":"admin","password":"purple lamp 9"}"#
            // Who has stolen an admin's session makes nobody an admin.
            expectRejection(try await patch(anna, #"{"role":"admin"}"#), 400, saying: "password")
            expectRejection(try await patch(anna, #"{"role":"admin","password":"wrong"}"#), 403, saying: "is wrong")
            #expect(try await app.stores.user(anna.id)?.role == .member)
            #expect(try await patch(anna, promotion).object["role"] as? String == "admin")
            for json in [#"{"role":"member"}"#, #"{"disabled":true}"#] {
                expectRejection(try await patch(admin, json), 422, saying: "own")
            }
            #expect(try await patch(admin, #"{"role":"admin"}"#).status == .ok)
            expectRejection(try await patch(anna, #"{"role":"king"}"#), 400)
            // An administrator cannot trigger this rule alone, since the sender is one; a race can.
            let demotion = #"{"role":"guest","password":"purple lamp 9"}"#
            #expect(try await patch(anna, demotion).object["role"] as? String == "guest")
            #expect(try await app.stores.read { try $0.userCount(role: .admin) } == 1)
        }
    }

    @Test func `An address changes at once, and only that of another person`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            let anna = try await app.makeUser("anna")
            _ = try await app.makeUser("bert")
            let session = try await app.token(of: anna)
            func patch(_ user: User, _ json: String) async throws -> TestResponse {
                try await app.send(
                    .patch, "\(Self.people)/\(user.id)", token: token, headers: [.contentType: "application/json"],
                    body: .init(string: json))
            }
            expectRejection(try await patch(anna, #"{"email":"anna"}"#), 400, saying: "e-mail address")
            let taken = try await patch(anna, #"{"email":"BERT@example.org","password":"purple lamp 9"}"#)
            expectRejection(taken, 409, saying: "taken")
            expectRejection(try await patch(admin, #"{"email":"new@example.org"}"#), 422, saying: "in your settings")
            // The present address, and that of one's own account, change nothing.
            #expect(try await patch(anna, #"{"email":"ANNA@example.org"}"#).object["emailSetOn"] == nil)
            #expect(try await patch(admin, #"{"email":"admin@example.org"}"#).status == .ok)
            // The admin's session is not enough.
            expectRejection(try await patch(anna, #"{"email":"anna@new.example"}"#), 400, saying: "password")
            let wrong = try await patch(anna, #"{"email":"anna@new.example","role":"guest","password":"wrong"}"#)
            expectRejection(wrong, 403, saying: "is wrong")
            #expect(wrong.object["type"] as? String == "/api#wrong-password")
            #expect(try await app.stores.user(anna.id)?.role == .member)
            #expect(try await app.mails(.emailChanged).isEmpty)

            let changed = try await patch(
                anna, #"{"email":"anna@new.example","role":"guest","password":"purple lamp 9"}"#)
            #expect(changed.object["email"] as? String == "anna@new.example")
            #expect(changed.object["role"] as? String == "guest")
            let day = CalendarDay(instant: TestApp.now, in: .gmt).description
            #expect(changed.object["emailSetOn"] as? String == day)
            #expect(
                try await app.mails(.emailChanged)
                    == [#"{"byAdmin":true,"oldEmail":"\#(anna.email)","userID":"\#(anna.id)"}"#])
            let me = try await app.get("/api/v1/me", token: session)
            #expect(me.object["emailSetOn"] as? String == day, "the session stays")
            #expect(try await app.logIn("anna@new.example", TestApp.password) == 200)
        }
    }

    @Test func `A disabled account is logged out at once and can be enabled again`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            let anna = try await app.makeUser("anna")
            let session = try await app.token(of: anna)
            func disable(_ isDisabled: Bool) async throws -> TestResponse {
                try await app.send(
                    .patch, "\(Self.people)/\(anna.id)", token: token, headers: [.contentType: "application/json"],
                    body: .init(string: #"{"disabled":\#(isDisabled)}"#))
            }
            #expect(try await disable(true).object["disabled"] as? Bool == true)
            expectRejection(try await app.get("/api/v1/ping", token: session), 401)
            #expect(try await app.logIn("anna", TestApp.password) == 401)
            let refused = try await app.send(.post, "\(Self.people)/\(anna.id)/password-reset", token: token)
            expectRejection(refused, 422, saying: "disabled")
            #expect(try await disable(false).object["disabled"] as? Bool == false)
            #expect(try await app.logIn("anna", TestApp.password) == 200)
        }
    }

    @Test func `An admin ends sessions and sends a password link three times an hour`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            let anna = try await app.makeUser("anna")
            let session = try await app.token(of: anna)
            let path = "\(Self.people)/\(anna.id)"
            #expect(try await app.send(.post, "\(path)/end-sessions", token: token).status == .noContent)
            expectRejection(try await app.get("/api/v1/ping", token: session), 401)
            for _ in 0..<3 {
                let response = try await app.send(.post, "\(path)/password-reset", token: token)
                #expect(response.status == .accepted && response.text.isEmpty)
            }
            let late = try await app.send(.post, "\(path)/password-reset", token: token)
            expectRejection(late, 429, saying: "Too many e-mails")
            #expect(late.headers[.retryAfter] != nil)
            #expect(try await app.mails(.passwordReset) == Array(repeating: #"{"userID":"\#(anna.id)"}"#, count: 3))
        }
    }

    @Test func `An account is deleted with its traces, but not one's own or a team's only lead`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            let team = try await app.makeTeam(members: 2)
            func delete(_ id: User.ID) async throws -> TestResponse {
                try await app.send(.delete, "\(Self.people)/\(id)", token: token)
            }
            expectRejection(try await delete(admin.id), 422, saying: "own account")
            expectRejection(try await delete(team.lead.user.id), 409, saying: "This is the only lead")
            #expect(try await delete(team.members[1].user.id).status == .noContent)
            expectRejection(try await app.get("/api/v1/ping", token: team.members[1].token), 401)
            expectRejection(try await delete(team.members[1].user.id), 404)
            #expect(try await delete(team.lead.user.id).status == .noContent)
            #expect(try await app.stores.team(team.id)?.memberCount == 0)
            // The worker deletes the rest, as for users who delete their own account.
            let jobs = try await app.stores.jobs.list(state: nil, limit: 10)
            #expect(jobs.count { $0.kind == AccountTraces.jobKind } == 2)
        }
    }

    @Test func `An admin lists and adds teams and reads none of them`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            let blue = try await app.makeTeam("Blue", members: 3)
            let added = try await app.post(
                Self.teams, token: token, json: #"{"name":" Black ","threshold":4,"timeZone":"Asia/Kathmandu"}"#)
            #expect(added.status == .created && added.object["name"] as? String == "Black")
            #expect(added.object["threshold"] as? Int == 4 && added.object["members"] as? Int == 0)
            #expect(added.object["timeZone"] as? String == "Asia/Kathmandu")
            let taken = #"{"name":"BLUE","timeZone":"UTC"}"#
            expectRejection(try await app.post(Self.teams, token: token, json: taken), 409)
            expectRejection(try await app.post(Self.teams, token: token, json: #"{"name":""}"#), 422)
            let low = #"{"name":"X","threshold":1,"timeZone":"UTC"}"#
            expectRejection(try await app.post(Self.teams, token: token, json: low), 422)

            let list = try await app.get("\(Self.teams)?search=bl", token: token)
            #expect(Self.names(list, "teams") == ["Black", "Blue"] && list.text.contains(#""nextAfter":null"#))
            #expect(!list.text.contains("happiness") && !list.text.contains("votes"))
            let first = try await app.get("\(Self.teams)?limit=1", token: token)
            #expect(Self.names(first, "teams") == ["Black"] && first.object["nextAfter"] as? String == "Black")
            expectRejection(try await app.get("\(blue.path)/sprints", token: token), 404)
        }
    }

    @Test func `A team without a time zone gets that of its admin's own team, and none is guessed`() async throws {
        try await TestApp.with { app in
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            let refused = try await app.post(Self.teams, token: token, json: #"{"name":"Red"}"#)
            expectRejection(refused, 422, saying: "Europe/Vienna")
            #expect(refused.object["type"] as? String == "/api#no-such-time-zone")
            let home = try await app.makeTeam("Blue", settings: TeamSettings(timeZone: "Europe/Vienna"))
            try await app.stores.add(Membership(teamID: home.id, userID: admin.id))
            let added = try await app.post(Self.teams, token: token, json: #"{"name":"Red","timeZone":null}"#)
            #expect(added.status == .created && added.object["timeZone"] as? String == "Europe/Vienna")
        }
    }
}
