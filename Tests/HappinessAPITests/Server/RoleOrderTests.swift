import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import HappinessAPI

/// Who may not use a route hears that, and nothing about the rest of their request.
@Suite struct RoleOrderTests {
    /// Routes of a team: a member of it gets the status, everyone else 404.
    private static let ofTeam: [(method: HTTPRequest.Method, path: String, status: Int)] = [
        (.patch, "", 403), (.patch, "/members/x", 403), (.put, "/reminders", 403), (.post, "/reminders/preview", 403),
        (.post, "/reminders/test", 403), (.post, "/messages", 403), (.get, "/deliveries?after=x", 403),
        (.post, "/experiments", 403), (.delete, "/actions/ACTION?version=x", 403),
        (.patch, "/actions/ACTION", 403), (.delete, "/members/x/address-fault", 403),
        // Members may, so they hear about the body.
        (.post, "/actions", 400), (.post, "/sprints/2026/2/ballots", 400),
        (.post, "/sprints/2026/2/ballot-papers", 400),
    ]

    /// Routes of the installation, which members may not use.
    private static let others: [(method: HTTPRequest.Method, path: String)] = [
        (.post, "invitations"), (.post, "invitations/import"), (.post, "invitations/import?validateOnly=x"),
        (.post, "admin/teams"), (.delete, "admin/teams/x"), (.get, "admin/teams?after=x"),
        (.patch, "admin/people/x"), (.delete, "admin/people/x/address-fault"), (.get, "admin/people?limit=x"),
        (.patch, "admin/client-errors/x"),
        (.get, "admin/client-errors?state=x"), (.put, "admin/texts/en/x"), (.get, "admin/texts?language=x"),
        (.get, "admin/jobs?state=x"), (.get, "deliveries?after=x"),
    ]

    /// Neither of them is JSON or a list.
    private static let bodies = [("application/json", "{"), ("application/json", "[]"), ("text/plain", "x")]

    @Test func `The role is checked before the body and the query`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let stranger = try await app.makeTeam("Elsewhere", members: 2).members[1]
            let action = try await app.post(
                "\(team.path)/actions", token: team.lead.token, json: #"{"title":"Less noise"}"#)
            let id = try #require(action.object["id"] as? String)
            for (type, body) in Self.bodies {
                func send(_ method: HTTPRequest.Method, _ path: String, _ token: String) async throws -> TestResponse {
                    try await app.send(
                        method, path, token: token, headers: [.contentType: type], body: ByteBuffer(string: body))
                }
                for (method, path, status) in Self.ofTeam {
                    let path = team.path + path.replacing("ACTION", with: id)
                    let response = try await send(method, path, team.members[1].token)
                    if status == 403 {
                        expectRejection(response, 403, "\(method) \(path) \(body)")
                    } else {
                        #expect([400, 415].contains(response.status.code), "\(method) \(path) \(body)")
                    }
                    expectRejection(try await send(method, path, stranger.token), 404, "\(method) \(path) \(body)")
                }
                for (method, path) in Self.others {
                    let response = try await send(method, "/api/v1/\(path)", stranger.token)
                    expectRejection(response, 403, "\(method) \(path) \(body)")
                }
            }
        }
    }

    @Test func `A lead of any team may invite, and hears about the body`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            for path in ["/api/v1/invitations", "/api/v1/invitations/import"] {
                let response = try await app.post(path, token: team.lead.token, json: "{")
                #expect([400, 415].contains(response.status.code))
                expectRejection(try await app.post(path, token: team.members[1].token, json: "{"), 403)
            }
        }
    }
}
