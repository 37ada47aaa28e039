import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Logging in and out of the new API, and every route without a valid token.
@Suite struct SessionRoutesTests {
    @Test func `A user logs in, refreshes and logs out`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let logIn = try await app.post(
                "/api/v1/auth/login", json: #"{"username":"Anna","password":"purple lamp 9","device":"Laptop"}"#)
            #expect(logIn.status == .ok)
            #expect(logIn.headers[.cacheControl] == "no-store")
            #expect(logIn.object["tokenType"] as? String == "Bearer")
            #expect(logIn.object["expiresIn"] as? Int == 900)
            let token = try #require(logIn.object["accessToken"] as? String)
            let refreshToken = try #require(logIn.object["refreshToken"] as? String)
            let sessions = try await app.stores.sessions(of: user.id, at: app.clock.now)
            #expect(sessions.map(\.device) == ["Laptop"])

            let refreshed = try await app.post("/api/v1/auth/refresh", json: #"{"refreshToken":"\#(refreshToken)"}"#)
            #expect(refreshed.status == .ok)
            #expect(refreshed.object["refreshToken"] as? String != refreshToken)

            #expect(try await app.get("/api/v1/ping", token: token).status == .noContent)
            #expect(try await app.send(.post, "/api/v1/auth/logout", token: token).status == .noContent)
            expectRejection(try await app.get("/api/v1/ping", token: token), 401)
            let next = try #require(refreshed.object["accessToken"] as? String)
            expectRejection(try await app.get("/api/v1/me", token: next), 401)
            let late = try await app.post("/api/v1/auth/refresh", json: #"{"refreshToken":"\#(refreshToken)"}"#)
            expectRejection(late, 401)
        }
    }

    @Test func `A refresh token that was used long ago ends the session`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let logIn = try await app.post(
                "/api/v1/auth/login", json: #"{"username":"anna","password":"purple lamp 9"}"#)
            let first = try #require(logIn.object["refreshToken"] as? String)
            let second = try await app.post("/api/v1/auth/refresh", json: #"{"refreshToken":"\#(first)"}"#)
            let repeated = try await app.post("/api/v1/auth/refresh", json: #"{"refreshToken":"\#(first)"}"#)
            #expect(repeated.object["refreshToken"] as? String == second.object["refreshToken"] as? String)
            app.clock.advance(by: 31)
            expectRejection(try await app.post("/api/v1/auth/refresh", json: #"{"refreshToken":"\#(first)"}"#), 401)
            let token = try #require(second.object["accessToken"] as? String)
            expectRejection(try await app.get("/api/v1/me", token: token), 401)
        }
    }

    @Test func `A user who fails too often waits as long as the header says`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let wrong = #"{"username":"anna","password":"wrong"}"#
            for _ in 1...5 { expectRejection(try await app.post("/api/v1/auth/login", json: wrong), 401) }
            let refused = try await app.post(
                "/api/v1/auth/login", json: #"{"username":"anna","password":"purple lamp 9"}"#)
            expectRejection(refused, 429)
            let seconds = try #require(refused.headers[.retryAfter].flatMap(TimeInterval.init))
            let classic = try await app.post("/user/login", json: #"{"username":"anna","password":"purple lamp 9"}"#)
            expectRejection(classic, 429, classic: true)
            app.clock.advance(by: seconds)
            let allowed = try await app.post(
                "/api/v1/auth/login", json: #"{"username":"anna","password":"purple lamp 9"}"#)
            #expect(allowed.status == .ok)
        }
    }

    @Test(arguments: [
        ("/api/v1/auth/login", #"{"username":"anna"}"#), ("/api/v1/auth/login", #"{"username":1,"password":"x"}"#),
        ("/api/v1/auth/login", #"{"username":{"$gt":""},"password":"x"}"#), ("/api/v1/auth/login", "username=anna"),
        ("/api/v1/auth/login", #"{"username":"anna","password":"x","device":[]}"#), ("/api/v1/auth/login", ""),
        ("/api/v1/auth/refresh", "{}"), ("/api/v1/auth/refresh", #"{"refreshToken":{}}"#),
        ("/api/v1/auth/refresh", "[]"), ("/api/v1/auth/refresh", "null"),
    ])
    func `A body that does not fit the route gives 400`(path: String, body: String) async throws {
        try await TestApp.with { app in
            expectRejection(try await app.post(path, json: body), 400, "\(path) \(body)")
        }
    }

    @Test(arguments: ["", "x", "a.b.c", "0123456789abcdef0123456789abcdef.0.AAAA", "..", "\\u2028"])
    func `An invalid refresh token gives 401`(token: String) async throws {
        try await TestApp.with { app in
            expectRejection(try await app.post("/api/v1/auth/refresh", json: #"{"refreshToken":"\#(token)"}"#), 401)
        }
    }

    @Test func `Every route behind a log-in refuses a user without a valid token`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let token = team.lead.token
            var tampered = token
            tampered.replaceSubrange(token.index(token.endIndex, offsetBy: -6)..<token.endIndex, with: "AAAAAA")
            let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + token.split(separator: ".")[1] + "."
            let bad = ["", "x", "Bearer", "Bearer ", "Basic YTpi", "Bearer a.b.c", tampered, "Bearer \(unsigned)"]
            let protected = try await Self.protected(team)
            #expect(protected.count > 80)
            for (method, path) in protected {
                let isClassic = !path.hasPrefix("/api")
                for value in bad {
                    let response = try await app.send(method, path, headers: [.authorization: value])
                    expectRejection(response, 401, classic: isClassic, "\(method) \(path) \(value)")
                    #expect(response.headers[.wwwAuthenticate] == "Bearer")
                }
                expectRejection(try await app.send(method, path), 401, classic: isClassic)
            }
            app.clock.advance(by: 31 * TestTeam.day)
            for (method, path) in protected {
                let response = try await app.send(method, path, token: token)
                expectRejection(response, 401, classic: !path.hasPrefix("/api"), "\(path) after the token's expiry")
            }
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `A user who was logged out can no longer vote`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            #expect(try await app.send(.post, "/api/v1/auth/logout", token: team.lead.token).status == .noContent)
            expectRejection(try await app.vote(team.lead, in: team), 401)
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    /// Another process ends the session; this process's cache must not accept a ballot.
    @Test func `A session that was ended elsewhere casts no ballot`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            #expect(try await app.get("/api/v1/ping", token: team.lead.token).status == .noContent)
            try await app.stores.transaction { try $0.endSessions(of: team.lead.user.id, except: nil) }
            expectRejection(try await app.vote(team.lead, in: team), 401)
            app.clock.advance(by: 5)
            expectRejection(try await app.get("/api/v1/ping", token: team.lead.token), 401)
        }
    }

    /// Every route of the API that needs a login.
    private static func protected(_ team: SignedInTeam) async throws -> [(HTTPRequest.Method, String)] {
        let parameters = ["team": team.id.description, "year": "2026", "number": "2"]
        return try await DocumentedRoute.all().filter { !$0.isPage && !$0.isOpen }
            .map { ($0.method, $0.path(with: parameters)) }
    }
}
