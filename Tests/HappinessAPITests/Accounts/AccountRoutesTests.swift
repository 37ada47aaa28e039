import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `/api/v1/me` and everything below it except password and e-mail address.
@Suite struct AccountRoutesTests {
    @Test func `A user changes both names, and others see the display name`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let token = team.lead.token
            let named = try await app.patch(
                "/api/v1/me", token: token, json: #"{"name":" Annab ","displayName":" Anna Berger "}"#)
            #expect(
                named.object["name"] as? String == "Annab" && named.object["displayName"] as? String == "Anna Berger")
            let members = try await app.get("\(team.path)/members", token: team.members[1].token)
            #expect(members.text.contains(#""displayName":"Anna Berger""#))
            let page = try await app.browser(of: team.members[1].user).get("\(team.pagePath)/vote").text
            #expect(page.contains("Anna Berger\nAnnab"), "the hint about names knows both")
            for (json, status, reason) in [
                (#"{"name":"BLUE1"}"#, 409, "name-taken"), (#"{"name":"a@b"}"#, 422, "refused"),
                (#"{"displayName":"see https://x.example"}"#, 422, "display-name-not-valid"),
            ] {
                let refused = try await app.patch("/api/v1/me", token: token, json: json)
                #expect(
                    Int(refused.status.code) == status && (refused.object["type"] as? String)?.contains(reason) == true)
            }
            let cleared = try await app.patch("/api/v1/me", token: token, json: #"{"displayName":"  "}"#)
            #expect(cleared.object["displayName"] == nil && cleared.object["name"] as? String == "Annab")
        }
    }

    @Test func `User names cannot be probed without end`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            var statuses: [Int] = []
            for number in 0..<22 {
                let response = try await app.patch(
                    "/api/v1/me", token: team.lead.token, json: #"{"name":"\#(number == 0 ? "BLUE1" : "n\(number)")"}"#)
                statuses.append(Int(response.status.code))
            }
            #expect(statuses == [409] + Array(repeating: 200, count: 19) + [429, 429])
        }
    }

    @Test func `The me route returns the whole account and omits missing fields`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let token = try await app.token(of: user)
            let me = try await app.get("/api/v1/me", token: token)
            #expect(me.headers[.cacheControl] == "no-store")
            #expect(
                Set(me.object.keys) == [
                    "id", "name", "email", "passwordIsHandedOut", "role", "locale", "notifications", "createdOn",
                    "picture",
                ])
            #expect(me.object["createdOn"] as? String == user.createdOn.description)
            #expect(me.object["notifications"] as? [String: Bool] == ["push": true, "mail": true, "results": false])

            try await app.stores.update(id: user.id, UserUpdate(pendingEmail: .set("new@example.org")))
            let waiting = try await app.get("/api/v1/me", token: token)
            #expect(waiting.object["pendingEmail"] as? String == "new@example.org")
        }
    }

    @Test func `The me route and the export say that somebody else set the password`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            try await app.stores.update(id: user.id, UserUpdate(passwordIsHandedOut: true))
            let token = try await app.token(of: user)
            func isHandedOut() async throws -> [Bool?] {
                let export = try await app.get("/api/v1/me/export", token: token)
                let account = export.object["account"] as? [String: Any]
                let me = try await app.get("/api/v1/me", token: token)
                return [me.object["passwordIsHandedOut"] as? Bool, account?["passwordIsHandedOut"] as? Bool]
            }
            func change(to password: String) async throws -> TestResponse {
                try await app.send(
                    .put, "/api/v1/me/password", token: token, headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: #"{"currentPassword":"purple lamp 9","newPassword":"\#(password)"}"#))
            }
            #expect(try await isHandedOut() == [true, true])
            let same = try await change(to: "purple lamp 9")
            expectRejection(same, 422)
            #expect(same.object["type"] as? String == "/api#password-is-handed-out")
            #expect(try await change(to: "green door 12").status == .noContent)
            #expect(try await isHandedOut() == [false, false])
        }
    }

    /// They know no further fields, and nothing to ask.
    @Test func `Log-ins of clients are answered alike for a handed-out password`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            func keys() async throws -> [Set<String>] {
                let classic = try await app.post("/user/login", form: "username=anna&password=purple%20lamp%209")
                let present = try await app.post(
                    "/api/v1/auth/login", json: #"{"username":"anna","password":"purple lamp 9"}"#)
                #expect(classic.status == .ok && present.status == .ok)
                return [Set(classic.object.keys), Set(present.object.keys)]
            }
            let before = try await keys()
            try await app.stores.update(id: user.id, UserUpdate(passwordIsHandedOut: true))
            #expect(try await keys() == before)
        }
    }

    @Test func `Settings change one by one or together`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let other = Team(name: "Red")
            try await app.stores.insert(other)
            try await app.stores.add(Membership(teamID: other.id, userID: team.lead.user.id))
            let german = try await app.patch("/api/v1/me", token: team.lead.token, json: #"{"locale":"de"}"#)
            #expect(german.status == .ok && german.object["locale"] as? String == "de")
            #expect(german.object["defaultTeam"] as? String == team.id.description)
            let both = try await app.patch(
                "/api/v1/me", token: team.lead.token,
                json: #"{"notifications":{"push":false,"mail":true},"defaultTeam":"\#(other.id)","locale":null}"#)
            #expect(both.object["notifications"] as? [String: Bool] == ["push": false, "mail": true, "results": false])
            #expect(both.object["defaultTeam"] as? String == other.id.description)
            #expect(both.object["locale"] as? String == "de")
            let read = try await app.get("/api/v1/me", token: team.lead.token)
            #expect(read.text == both.text)
        }
    }

    @Test(arguments: [
        (#"{"locale":"fr"}"#, 422), (#"{"locale":1}"#, 400), (#"{"locale":{"$gt":""}}"#, 400), ("[]", 400), ("", 400),
        (#"{"notifications":{"push":1}}"#, 400), (#"{"notifications":true}"#, 400),
        (#"{"defaultTeam":"nonsense"}"#, 404), (#"{"defaultTeam":"0123456789abcdef0123456789abcdef"}"#, 404),
        (#"{"defaultTeam":[]}"#, 400),
    ])
    func `An impossible change is refused`(json: String, status: Int) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let before = try await app.get("/api/v1/me", token: team.lead.token)
            expectRejection(try await app.patch("/api/v1/me", token: team.lead.token, json: json), status, json)
            #expect(try await app.get("/api/v1/me", token: team.lead.token).text == before.text)
        }
    }

    @Test func `Sessions are listed with device and day, and the current one is marked`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let token = try await app.token(of: user)
            let laptop = try await app.logIn("anna", device: "Laptop")
            let sessions = try await app.sessions(token: laptop)
            #expect(sessions.count == 2)
            for session in sessions {
                #expect(Set(session.keys) == ["id", "device", "lastUsed", "current"])
                #expect(session["lastUsed"] as? String == "2026-01-25")
            }
            #expect(sessions.filter { $0["current"] as? Bool == true }.map { $0["device"] as? String } == ["Laptop"])
            let own = try await app.sessions(token: token).filter { $0["current"] as? Bool == true }
            #expect(own.map { $0["device"] as? String } == ["test"])
        }
    }

    @Test func `One session or all others can be ended`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let tokens = [
                try await app.token(of: user), try await app.logIn("anna", device: "Laptop"),
                try await app.logIn("anna", device: "Tablet"), try await app.logIn("anna", device: "Phone"),
            ]
            let laptop = try await app.sessions(token: tokens[0]).first { $0["device"] as? String == "Laptop" }
            let id = try #require(laptop?["id"] as? String)
            #expect(try await app.send(.delete, "/api/v1/me/sessions/\(id)", token: tokens[0]).status == .noContent)
            expectRejection(try await app.get("/api/v1/ping", token: tokens[1]), 401)
            expectRejection(try await app.send(.delete, "/api/v1/me/sessions/\(id)", token: tokens[0]), 404)
            #expect(try await app.get("/api/v1/ping", token: tokens[2]).status == .noContent)

            #expect(try await app.send(.delete, "/api/v1/me/sessions", token: tokens[2]).status == .noContent)
            #expect(try await app.get("/api/v1/ping", token: tokens[2]).status == .noContent)
            for ended in [tokens[0], tokens[3]] {
                expectRejection(try await app.get("/api/v1/ping", token: ended), 401)
            }
            #expect(try await app.sessions(token: tokens[2]).count == 1)
        }
    }

    @Test func `Someone else's session is not found`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let other = try await app.sessions(token: team.members[1].token)
            let id = try #require(other.first?["id"] as? String)
            for id in [id, "nonsense", Session.ID.random().description] {
                let response = try await app.send(.delete, "/api/v1/me/sessions/\(id)", token: team.lead.token)
                expectRejection(response, 404, saying: "no such session")
            }
            #expect(try await app.get("/api/v1/ping", token: team.members[1].token).status == .noContent)
        }
    }

    @Test func `The export is a file to be saved`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            #expect(try await app.vote(team.lead, in: team, 7, feedback: "the secret word").status == .created)
            let export = try await app.get("/api/v1/me/export", token: team.lead.token)
            #expect(export.status == .ok)
            #expect(
                export.headers[.contentDisposition] == #"attachment; filename="happiness-metric-export.json""#)
            #expect(export.headers[.cacheControl] == "no-store")
            #expect(export.headers[.contentType] == "application/json; charset=utf-8")
            #expect(
                Set(export.object.keys) == [
                    "exported", "account", "memberships", "absences", "sessions", "devices", "externalIdentities",
                    "invitations", "sentInvitations", "messages", "actions", "supportedActions", "mailedLinks",
                    "failedLogIns", "jobs", "votes",
                ])
            #expect((export.object["account"] as? [String: Any])?["email"] as? String == "blue0@example.org")
            #expect(!export.text.contains("the secret word") && !export.text.contains("$2b$"))
            let votes = try #require(export.object["votes"] as? [String: Any])
            #expect((votes["votedIn"] as? [[String: Any]])?.map { $0["team"] as? String } == ["Blue"])
        }
    }

    @Test func `Deletion asks for the password and then removes everything`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let member = team.members[1]
            #expect(try await app.vote(member, in: team).status == .created)
            let tally = try await app.tally(of: team)
            expectRejection(
                try await app.delete("/api/v1/me", token: member.token, json: "{}"), 400, saying: "password")
            expectRejection(try await app.send(.delete, "/api/v1/me", token: member.token), 415)
            expectRejection(
                try await app.delete("/api/v1/me", token: member.token, json: #"{"password":["x"]}"#), 400)
            let wrong = try await app.delete("/api/v1/me", token: member.token, json: #"{"password":"wrong"}"#)
            expectRejection(wrong, 403, saying: "is wrong")
            #expect(wrong.object["type"] as? String == "/api#wrong-password")

            let gone = try await app.delete("/api/v1/me", token: member.token, json: Self.password)
            #expect(gone.status == .noContent)
            expectRejection(try await app.get("/api/v1/me", token: member.token), 401)
            expectRejection(try await app.vote(member, in: team), 401)
            expectRejection(
                try await app.post("/api/v1/auth/login", json: #"{"username":"blue1","password":"purple lamp 9"}"#), 401
            )
            #expect(try await app.tally(of: team) == tally)
            #expect(try await app.stores.team(team.id)?.memberCount == 2)
            #expect(!app.log.text.contains("blue1") && !app.log.text.contains(member.user.id.description))
        }
    }

    @Test func `Too many wrong passwords make the user wait`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let token = team.members[1].token
            for _ in 1...5 {
                expectRejection(try await app.delete("/api/v1/me", token: token, json: #"{"password":"wrong"}"#), 403)
            }
            let refused = try await app.delete("/api/v1/me", token: token, json: Self.password)
            expectRejection(refused, 429)
            #expect(refused.headers[.retryAfter] != nil)
        }
    }

    @Test func `A user whom others depend on is told what to do first`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let lead = try await app.delete("/api/v1/me", token: team.lead.token, json: Self.password)
            expectRejection(lead, 409, saying: "Blue")
            #expect(lead.object["type"] as? String == "/api#last-lead")
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            let last = try await app.delete("/api/v1/me", token: token, json: Self.password)
            expectRejection(last, 409, saying: "only admin")
            #expect(last.object["type"] as? String == "/api#last-admin")
            for token in [token, team.lead.token] {
                #expect(try await app.get("/api/v1/ping", token: token).status == .noContent)
            }
        }
    }

    private static let password = #"{"password":"\#(TestApp.password)"}"#
}

extension TestApp {
    /// Sends the text as JSON, valid or not.
    func patch(_ uri: String, token: String, json: String) async throws -> TestResponse {
        try await send(
            .patch, uri, token: token, headers: [.contentType: "application/json"], body: ByteBuffer(string: json))
    }

    /// Sends the text as JSON, valid or not.
    func delete(_ uri: String, token: String, json: String) async throws -> TestResponse {
        try await send(
            .delete, uri, token: token, headers: [.contentType: "application/json"], body: ByteBuffer(string: json))
    }

    /// The access token of a login with this device.
    fileprivate func logIn(_ name: String, device: String) async throws -> String {
        let response = try await post(
            "/api/v1/auth/login",
            json: #"{"username":"\#(name)","password":"\#(Self.password)","device":"\#(device)"}"#)
        return try #require(response.object["accessToken"] as? String)
    }

    fileprivate func sessions(token: String) async throws -> [[String: Any]] {
        try #require(try await get("/api/v1/me/sessions", token: token).object["sessions"] as? [[String: Any]])
    }
}
