import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `/user/changePassword` and `/user/deleteAccount` as the first clients call them.
@Suite struct ClassicAccountTests {
    @Test(arguments: [
        ("application/x-www-form-urlencoded", "oldPassword=purple%20lamp%209&newPassword=green%20door%20%2B%207"),
        ("application/json; charset=utf-8", #"{"oldPassword":"purple lamp 9","newPassword":"green door + 7"}"#),
    ])
    func `A password is changed by form and by JSON, and other sessions end`(type: String, body: String) async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let phone = try await app.token(of: user)
            let tablet = try await app.token(of: user)
            let response = try await app.classic(.post, "/user/changePassword", token: phone, type: type, body: body)
            #expect(response.classic == #"200 {"message":"Your password was changed."}"#)
            #expect(try await app.get("/user/profile", token: phone).status == .ok)
            expectRejection(try await app.get("/user/profile", token: tablet), 401, classic: true)
            let old = try await app.post("/user/login", json: #"{"username":"anna","password":"purple lamp 9"}"#)
            expectRejection(old, 401, classic: true)
            let new = try await app.post("/user/login", json: #"{"username":"anna","password":"green door + 7"}"#)
            #expect(new.status == .ok)
        }
    }

    @Test func `A wrong old password gives 400 and ends no session`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let phone = try await app.token(of: user)
            let tablet = try await app.token(of: user)
            let response = try await app.post(
                "/user/changePassword", token: phone, form: "oldPassword=wrong&newPassword=green%20door%207")
            #expect(response.classic == #"400 {"message":"The current password is wrong."}"#)
            #expect(try await app.get("/user/profile", token: tablet).status == .ok)
            #expect(try await app.post("/user/login", form: "username=anna&password=purple%20lamp%209").status == .ok)
        }
    }

    @Test(arguments: [
        ("newPassword=green%20door%207", "oldPassword"), ("oldPassword=purple%20lamp%209", "newPassword"),
        ("oldPassword=purple%20lamp%209&newPassword=short", "too short"),
        ("oldPassword=purple%20lamp%209&newPassword=password1", "most common"), ("", "missing"),
    ])
    func `A missing or invalid field gives 400 with the reason`(form: String, words: String) async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let response = try await app.post("/user/changePassword", token: token, form: form)
            expectRejection(response, 400, classic: true, saying: words)
        }
    }

    @Test func `The first clients are told the policy of character classes`() async throws {
        try await TestApp.with(settings: ["PASSWORD_POLICY": "classes"]) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let response = try await app.post(
                "/user/changePassword", token: token,
                form: "oldPassword=purple%20lamp%209&newPassword=green%20door%207")
            expectRejection(response, 400, classic: true, saying: "an upper-case letter")
        }
    }

    @Test(arguments: [nil, "application/json; charset=utf-8"])
    func `An account is deleted without a body`(type: String?) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let member = team.members[2]
            #expect(try await app.vote(member, in: team).status == .created)
            let tally = try await app.tally(of: team)
            func delete() async throws -> TestResponse {
                try await app.classic(.delete, "/user/deleteAccount", token: member.token, type: type, body: nil)
            }
            #expect(try await delete().classic == #"200 {"message":"Your account was deleted."}"#)
            #expect(try await app.stores.user(member.user.id) == nil)
            expectRejection(try await app.get("/user/profile", token: member.token), 401, classic: true)
            expectRejection(try await delete(), 401, classic: true)
            #expect(try await app.tally(of: team) == tally)
        }
    }

    @Test func `A user whom others depend on is told so`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let lead = try await app.send(.delete, "/user/deleteAccount", token: team.lead.token)
            expectRejection(lead, 400, classic: true, saying: "Blue")
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            let last = try await app.send(.delete, "/user/deleteAccount", token: admin)
            expectRejection(last, 400, classic: true, saying: "only admin")
            #expect(try await app.get("/user/profile", token: admin).status == .ok)
        }
    }

    @Test func `Both routes need a token`() async throws {
        try await TestApp.with { app in
            expectRejection(try await app.send(.delete, "/user/deleteAccount"), 401, classic: true)
            let change = try await app.post("/user/changePassword", form: "oldPassword=a&newPassword=b")
            expectRejection(change, 401, classic: true)
        }
    }
}

extension TestApp {
    /// A request with a bare token, as sent by the first clients.
    fileprivate func classic(
        _ method: HTTPRequest.Method, _ uri: String, token: String, type: String?, body: String?
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.authorization: token]
        headers[.contentType] = type
        return try await send(method, uri, headers: headers, body: body.map { .init(string: $0) })
    }
}
