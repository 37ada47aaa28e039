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

@Suite struct InvitationRouteTests {
    private func importList(_ text: String, token: String, in app: TestApp) async throws -> TestResponse {
        try await app.send(
            .post, "/api/v1/invitations/import", token: token, headers: [.contentType: "text/csv; charset=utf-8"],
            body: ByteBuffer(string: text))
    }

    @Test func `An invitation is created, listed, sent again and withdrawn`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let made = try await app.post(
                "/api/v1/invitations", token: team.lead.token,
                json: #"{"email":"new@example.org","team":"\#(team.id)","teamRole":"lead","locale":"de"}"#)
            #expect(made.status == .created)
            #expect(made.object["outcome"] as? String == "invited")
            let invitation = try #require(made.object["invitation"] as? [String: Any])
            #expect(
                Set(invitation.keys) == ["id", "email", "role", "team", "teamRole", "locale", "sent"])
            #expect(invitation["sent"] as? String == "2026-01-25")
            let id = try #require(invitation["id"] as? String)

            let list = try await app.get("/api/v1/invitations?team=\(team.id)", token: team.lead.token)
            #expect((list.object["invitations"] as? [[String: Any]])?.map { $0["id"] as? String } == [id])
            #expect(list.object["nextAfter"] is NSNull)

            let again = try await app.post("/api/v1/invitations/\(id)/resend", token: team.lead.token, json: "")
            #expect(again.status == .ok)
            let gone = try await app.send(.delete, "/api/v1/invitations/\(id)", token: team.lead.token)
            #expect(gone.status == .noContent)
            let twice = try await app.send(.delete, "/api/v1/invitations/\(id)", token: team.lead.token)
            expectRejection(twice, 404, saying: "no such invitation")
        }
    }

    @Test func `The answer to a lead says nothing about who has an account`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let anna = try await app.makeUser("anna")
            var responses: Set<String> = []
            for address in ["anna@example.org", "nobody@example.org"] {
                let response = try await app.post(
                    "/api/v1/invitations", token: team.lead.token,
                    json: #"{"email":"\#(address)","team":"\#(team.id)"}"#)
                let id = try #require((response.object["invitation"] as? [String: Any])?["id"] as? String)
                responses.insert(response.classic.replacing(id, with: "ID").replacing(address, with: "ADDRESS"))
            }
            #expect(responses.count == 1)
            #expect(responses.first?.hasPrefix("201") == true)
            #expect(try await app.stores.membership(of: anna.id, in: team.id) == nil)
        }
    }

    @Test func `The answer says who needs no invitation`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue", members: 2)
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            let member = try await app.post(
                "/api/v1/invitations", token: team.lead.token,
                json: #"{"email":"blue1@example.org","team":"\#(team.id)","teamRole":"lead"}"#)
            #expect(member.classic == #"200 {"invitation":null,"outcome":"already-a-member"}"#)
            let user = try await app.post(
                "/api/v1/invitations", token: admin, json: #"{"email":"blue1@example.org"}"#)
            #expect(user.classic == #"200 {"invitation":null,"outcome":"already-a-user"}"#)
        }
    }

    @Test func `A guest who leads gets the same answer for a member and for a stranger`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue", members: 2)
            let guest = try await app.makeUser("guest", role: .guest)
            try await app.stores.add(Membership(teamID: team.id, userID: guest.id, role: .lead))
            let token = try await app.token(of: guest)
            func invite(_ address: String, token: String) async throws -> TestResponse {
                let json = #"{"email":"\#(address)","role":"guest","team":"\#(team.id)"}"#
                return try await app.post("/api/v1/invitations", token: token, json: json)
            }
            #expect(try await invite("other@example.org", token: team.lead.token).status == .created)
            var responses: Set<String> = []
            for address in ["blue1@example.org", "nobody@example.org"] {
                let response = try await invite(address, token: token)
                let id = try #require((response.object["invitation"] as? [String: Any])?["id"] as? String)
                responses.insert(response.classic.replacing(id, with: "ID").replacing(address, with: "ADDRESS"))
            }
            #expect(responses.count == 1 && responses.first?.hasPrefix("201") == true)
            let list = try await app.get("/api/v1/invitations?team=\(team.id)", token: token).text
            #expect(list.contains("nobody@example.org") && !list.contains("other@example.org"))
        }
    }

    @Test func `An admin cannot get into a team by inviting themselves`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            let json = #"{"email":"Admin@example.org","team":"\#(team.id)","teamRole":"lead"}"#
            let response = try await app.post("/api/v1/invitations", token: admin, json: json)
            expectRejection(response, 422, saying: "yourself")
            #expect(response.object["type"] as? String == "/api#own-invitation")
            let list = "email,team,teamRole\nadmin@example.org,Blue,lead"
            let report = try await importList(list, token: admin, in: app)
            let lines = try #require(report.object["lines"] as? [[String: Any]])
            #expect(lines.map { $0["reason"] as? String } == ["own-invitation"])
            expectRejection(try await app.get("\(team.path)/sprints", token: admin), 404)
        }
    }

    @Test func `A list can be checked without inviting anyone`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            let list =
                "email,team\nnew@example.org,Blue\nNEW@example.org,Blue\n\(team.lead.user.email),Blue\nx@y.at,Red\n"
            func report(_ query: String) async throws -> [String?] {
                let response = try await app.send(
                    .post, "/api/v1/invitations/import\(query)", token: admin, headers: [.contentType: "text/csv"],
                    body: ByteBuffer(string: list))
                return (response.object["lines"] as? [[String: Any]])?.map { $0["outcome"] as? String } ?? []
            }
            let outcomes = ["invited", "already-invited", "already-a-member", "refused"]
            for _ in 0..<2 { #expect(try await report("?validateOnly=true") == outcomes) }
            #expect(
                try await app.stores.read { try $0.invitations(teamID: nil, inviterID: nil, after: nil, limit: 10) }
                    .isEmpty)
            #expect(try await app.stores.jobs.list(state: nil, limit: 10).isEmpty)
            #expect(try await report("") == outcomes)
            #expect(
                try await report("?validateOnly=true")
                    == ["already-invited", "already-invited", "already-a-member", "refused"])
        }
    }

    @Test func `An account joins by the token alone`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let anna = try await app.makeUser("anna")
            let access = try await app.token(of: anna)
            let token = try await app.invite("anna@example.org", to: team.id)
            expectRejection(try await app.get(team.path, token: access), 404)
            let json = #"{"token":"\#(token)"}"#
            let accepted = try await app.post("/api/v1/invitations/accept", json: json)
            #expect(accepted.classic == #"200 {"email":"anna@example.org","username":"anna"}"#)
            #expect(try await app.get(team.path, token: access).status == .ok)
            expectRejection(try await app.post("/api/v1/invitations/accept", json: json), 422, saying: "has expired")
        }
    }

    @Test func `Without an account, the token alone is not enough`() async throws {
        try await TestApp.with { app in
            let token = try await app.invite("new@example.org")
            for json in [#"{"token":"\#(token)"}"#, #"{"token":"\#(token)","username":null,"password":null}"#] {
                let response = try await app.post("/api/v1/invitations/accept", json: json)
                expectRejection(response, 422, saying: "no account")
                #expect(response.object["type"] as? String == "/api#account-needed")
            }
        }
    }

    @Test(.thorough) func `Invitations per day are limited, and the answer says when to go on`() async throws {
        try await TestApp.with { app in
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            let people = (1...InvitationService.inviterLimit).map { "p\($0)@example.org" }
            let list = try await importList((["email"] + people).joined(separator: "\n"), token: admin, in: app)
            let lines = try #require(list.object["lines"] as? [[String: Any]])
            #expect(lines.allSatisfy { $0["outcome"] as? String == "invited" })
            let more = try await app.post("/api/v1/invitations", token: admin, json: #"{"email":"x@example.org"}"#)
            expectRejection(more, 429, saying: "200 people")
            #expect(more.headers[.retryAfter] == "86400")
        }
    }

    @Test func `Pages of invitations follow each other`() async throws {
        try await TestApp.with { app in
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            for number in 1...201 { _ = try await app.invite("p\(number)+x@example.org") }
            let first = try await app.get("/api/v1/invitations", token: admin)
            let next = try #require(first.object["nextAfter"] as? String)
            let after = try #require(next.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let second = try await app.get("/api/v1/invitations?after=\(after)", token: admin)
            let counts = [first, second].map { ($0.object["invitations"] as? [Any])?.count }
            #expect(counts == [200, 1])
            #expect(second.object["nextAfter"] is NSNull)
            expectRejection(try await app.get("/api/v1/invitations?after=p1", token: admin), 400)
        }
    }

    @Test func `An invalid invitation is refused`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue", members: 2)
            let lead = team.lead.token
            let cases: [(json: String, token: String, status: Int)] = [
                (#"{"email":"new@example.org"}"#, lead, 403),
                (#"{"email":"new@example.org","team":"\#(team.id)","role":"admin"}"#, lead, 403),
                (#"{"email":"new@example.org","team":"\#(team.id)"}"#, team.members[1].token, 403),
                (#"{"email":"new@example.org","team":"\#(Team.ID.random())"}"#, lead, 404),
                (#"{"email":"nobody","team":"\#(team.id)"}"#, lead, 400),
                (#"{"email":"new@example.org","team":"Blue"}"#, lead, 400),
                (#"{"email":"new@example.org","team":"\#(team.id)","role":"owner"}"#, lead, 400),
                (#"{"email":"new@example.org","team":"\#(team.id)","locale":"fr"}"#, lead, 400),
                (#"{"email":{"$ne":""},"team":"\#(team.id)"}"#, lead, 400),
            ]
            for (json, token, status) in cases {
                expectRejection(try await app.post("/api/v1/invitations", token: token, json: json), status, json)
            }
            expectRejection(try await app.post("/api/v1/invitations", json: "{}"), 401)
            expectRejection(try await app.get("/api/v1/invitations", token: lead), 403)
            expectRejection(try await app.get("/api/v1/invitations?team=x", token: lead), 404)
        }
    }

    @Test func `A list is reported on line by line`() async throws {
        try await TestApp.with { app in
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            let team = try await app.makeTeam()
            let lines = [
                "\u{FEFF}email;role;team", "a@example.org;guest;Blue", "=1+1;;", "a@example.org;;",
                "\(team.lead.user.email);;Blue",
            ]
            let text = lines.joined(separator: "\r\n")
            let response = try await importList(text, token: admin, in: app)
            #expect(response.status == .ok)
            let reports = try #require(response.object["lines"] as? [[String: Any]])
            #expect(
                reports.map { $0["outcome"] as? String } == ["invited", "refused", "invited", "already-a-member"])
            #expect(reports.map { $0["line"] as? Int } == [2, 3, 4, 5])
            #expect(reports.allSatisfy { Set($0.keys) == ["line", "email", "outcome", "reason", "detail"] })
            #expect(response.object["ignoredColumns"] == nil)

            let slack = "username,email,status\nb,b@example.org,Member\nc,c@example.org,Deactivated\nd,,Bot"
            let other = try await importList(slack, token: admin, in: app)
            #expect(other.object["ignoredColumns"] as? [String] == ["username"])
            let people = try #require(other.object["lines"] as? [[String: Any]])
            #expect(people.map { $0["reason"] as? String } == [nil, "account-disabled", "malformed"])
            #expect((people[2]["detail"] as? String)?.hasPrefix("Column “email”: ") == true)
        }
    }

    @Test func `An invalid list is refused as a whole`() async throws {
        try await TestApp.with { app in
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            expectRejection(try await importList("name\nAnna", token: admin, in: app), 400, saying: "columns")
            let long = "email\n" + String(repeating: "a@example.org\n", count: 1_001)
            expectRejection(try await importList(long, token: admin, in: app), 422)
            let huge = "email\n" + String(repeating: "x", count: 512 * 1024)
            expectRejection(try await importList(huge, token: admin, in: app), 413)
            expectRejection(try await app.post("/api/v1/invitations/import", token: admin, json: "{}"), 415)
            let latin = try await app.send(
                .post, "/api/v1/invitations/import", token: admin, headers: [.contentType: "text/csv"],
                body: ByteBuffer(bytes: Array("email,team\na@example.org,Gr".utf8) + [0xfc, 0x6e]))
            expectRejection(latin, 400, saying: "Line 2 of the list isn’t in UTF-8")
        }
    }

    @Test func `An invitation is accepted once, and the new user logs in`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let token = try await app.invite("new@example.org", to: team.id)
            let weak = try await app.post(
                "/api/v1/invitations/accept", json: #"{"token":"\#(token)","username":"Newcomer","password":"short"}"#)
            expectRejection(weak, 422, saying: "too short")
            let json = #"{"token":"\#(token)","username":"Newcomer","password":"\#(TestApp.password)"}"#
            let accepted = try await app.post("/api/v1/invitations/accept", json: json)
            #expect(accepted.classic == #"201 {"email":"new@example.org","username":"Newcomer"}"#)
            expectRejection(try await app.post("/api/v1/invitations/accept", json: json), 422, saying: "has expired")
            let logIn = try await app.post(
                "/api/v1/auth/login", json: #"{"username":"newcomer","password":"\#(TestApp.password)"}"#)
            let access = try #require(logIn.object["accessToken"] as? String)
            #expect(try await app.get(team.path, token: access).status == .ok)
        }
    }
}

extension TestApp {
    /// Invites a person like the operator would, and creates the token that the worker would mail.
    func invite(_ email: String, to teamID: Team.ID? = nil, locale: MailLocale = .english) async throws -> String {
        let invitation = Invitation(
            email: email, role: .member, teamID: teamID, teamRole: .member, locale: locale.rawValue,
            sent: CalendarDay(instant: clock.now, in: .gmt))
        try await stores.insert(invitation)
        let (text, token) = OneTimeToken.make(
            .invitation, subject: invitation.id.description, email: email, at: clock.now)
        try await stores.insert(token)
        return text
    }
}
