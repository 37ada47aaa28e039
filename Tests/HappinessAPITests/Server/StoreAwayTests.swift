import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Pages and answers while the store is unavailable.
@Suite struct StoreAwayTests {
    /// A MongoDB address without a server: port 1 of this machine.
    private static let nobody = "mongodb://127.0.0.1:1/none?replicaSet=rs0&serverSelectionTimeoutMS=300"

    @Test(.thorough) func `Every route that needs the store answers 503 and when to come back`() async throws {
        let away = try StoreLocation.mongodb(uri: Self.nobody).open()
        try await TestApp.with(stores: away) { app in
            let logIn = #"{"username":"anna","password":"purple lamp 9"}"#
            let classic = try await app.post("/user/login", json: logIn)
            expectRejection(classic, 503, classic: true)
            let modern = try await app.post("/api/v1/auth/login", json: logIn)
            expectRejection(modern, 503)
            let ready = try await app.get("/health/ready")
            expectRejection(ready, 503)
            for response in [classic, modern, ready] {
                #expect(response.headers[.retryAfter].flatMap(Int.init).map { $0 > 0 } == true)
            }
            #expect(try await app.get("/health/live").status == .ok)
            #expect(try await app.get("/login").status == .ok)
        }
        try await away.system.close()
    }

    @Test func `A closed store is unavailable for a user who is logged in`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            _ = try await stores.system.migrate()
            try await TestApp.with(stores: stores) { app in
                let team = try await app.makeTeam(members: 2)
                try await stores.system.close()
                for path in ["/api/v1/me", "\(team.path)/sprints", "\(team.path)/sprints/current"] {
                    let response = try await app.get(path, token: team.lead.token)
                    expectRejection(response, 503, path)
                    #expect(response.headers[.retryAfter] != nil)
                }
                expectRejection(try await app.vote(team.lead, in: team), 503)
                let track = try await app.post(
                    "/happiness/track", token: team.lead.token, json: #"{"happiness":7,"sprint":"2026/2"}"#)
                expectRejection(track, 503, classic: true)
            }
        }
    }
}
