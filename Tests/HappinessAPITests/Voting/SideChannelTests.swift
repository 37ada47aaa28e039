import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// An observer of the server must learn nothing beyond what is published.
@Suite struct SideChannelTests {
    @Test func `An unpublished ballot changes no byte and no tag of what colleagues read`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let watcher = team.members[8]
            let link = try await app.shareLink(of: team)
            for member in team.members.prefix(6) { _ = try await app.vote(member, in: team, feedback: "published?") }
            app.clock.advance(by: 2)
            let before = try await Self.everything(of: team, for: watcher, sharedUnder: link, in: app)
            for member in team.members[6...7] {
                _ = try await app.vote(member, in: team, 0, feedback: "not published")
                app.clock.advance(by: 2)
                let after = try await Self.everything(of: team, for: watcher, sharedUnder: link, in: app)
                #expect(after == before)
            }
        }
    }

    @Test func `A tag saves the bytes until something is published`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            for member in team.members.prefix(6) { _ = try await app.vote(member, in: team) }
            app.clock.advance(by: 1)
            for path in ["/sprints", "/history.csv", "/chart.svg"] {
                let first = try await app.get(team.path + path, token: team.lead.token)
                let tag = try #require(first.headers[.eTag])
                #expect(first.headers[.cacheControl] == "private, no-cache")
                let compressed = "\(tag.dropLast())-gzip\""
                for known in [tag, "W/\(tag)", compressed, "W/\(compressed)", "\"other\", \(tag)", "*"] {
                    let again = try await app.get(
                        team.path + path, token: team.lead.token, headers: [.ifNoneMatch: known])
                    #expect(again.status == .notModified && again.body.readableBytes == 0)
                    #expect(again.headers[.eTag] == tag)
                }
                for unknown in ["\"other\"", "W/\"other-gzip\"", "\"\(tag.dropFirst(2))", ""] {
                    let other = try await app.get(
                        team.path + path, token: team.lead.token, headers: [.ifNoneMatch: unknown])
                    #expect(other.text == first.text, "\(unknown)")
                }
            }
            let old = try await app.get("\(team.path)/sprints", token: team.lead.token).headers[.eTag]
            for member in team.members[6...] { _ = try await app.vote(member, in: team) }
            app.clock.advance(by: 1)
            let now = try await app.get(
                "\(team.path)/sprints", token: team.lead.token, headers: [.ifNoneMatch: old ?? ""])
            #expect(now.status == .ok && now.headers[.eTag] != old)
            #expect(now.text.contains(#""votes":9"#))
        }
    }

    @Test func `Without a token, a tag opens nothing`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let stranger = try await app.makeTeam("Red").lead
            let any: HTTPFields = [.ifNoneMatch: "*"]
            expectRejection(try await app.get("\(team.path)/sprints", headers: any), 401)
            expectRejection(try await app.get("\(team.path)/sprints", token: stranger.token, headers: any), 404)
        }
    }

    @Test func `The log contains no secret, no person and no trace of a ballot`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let voter = team.lead
            _ = try await app.post("/user/login", form: "username=blue0&password=purple%20lamp%209")
            _ = try await app.post("/user/login", form: "username=blue0&password=wrong-secret-guess")
            let ready = app.log.text
            _ = try await app.vote(voter, in: team, 4.2, feedback: "the walls are green")
            _ = try await app.vote(voter, in: team, 4.2)
            _ = try await app.vote(voter, in: team, 11)
            _ = try await app.post(
                "/happiness/track", token: team.members[1].token, form: "happiness=4.2&sprint=2026/2&feedback=walls")
            _ = try await app.get("/happiness/hasVoted?sprint=2026/2", token: voter.token)
            _ = try await app.get("/happiness/currentSprint", token: voter.token)
            _ = try await app.get("\(team.path)/sprints/current", token: voter.token)
            #expect(app.log.text == ready, "ballot routes are not logged at all")

            _ = try await app.get("\(team.path)/sprints?year=2026", token: voter.token)
            _ = try await app.get("/nowhere?token=in-the-query", token: voter.token)
            let log = app.log.text
            #expect(log.contains("/api/v1/teams/{team}/sprints"), "the capture works")
            let secrets = [
                voter.token, String(voter.token.suffix(20)), TestApp.password, "wrong-secret-guess", "@example.org",
                "4.2", "walls", voter.user.id.description, team.id.description, "in-the-query", "2026/2", "year=",
            ]
            for secret in secrets { #expect(!log.contains(secret), "\(secret)") }
        }
    }

    @Test func `A ballot does not touch the session`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let before = try await app.stores.sessions(of: team.lead.user.id, at: app.clock.now)
            app.clock.advance(by: TestTeam.day)
            #expect(try await app.vote(team.lead, in: team).status == .created)
            _ = try await app.get("/happiness/hasVoted?sprint=2026/2", token: team.lead.token)
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            #expect(try await app.stores.sessions(of: team.lead.user.id, at: app.clock.now) == before)
            _ = try await app.get("/api/v1/me", token: team.lead.token)
            #expect(try await app.stores.sessions(of: team.lead.user.id, at: app.clock.now) != before)
        }
    }

    /// All responses with the team's results, including their tags.
    private static func everything(
        of team: SignedInTeam, for member: SignedInTeam.Member, sharedUnder link: String, in app: TestApp
    ) async throws -> [String] {
        let paths =
            ["", "/sprints", "/sprints?year=2026", "/sprints/current", "/sprints/2026/2", "/history.csv", "/chart.svg"]
            .map { team.path + $0 } + ["/happiness/sprints?sprintyear=2026", "/happiness/currentSprint", link]
        var responses: [String] = []
        for path in paths {
            let response = try await app.get(path, token: member.token)
            #expect(response.status == .ok, "\(path)")
            responses.append("\(path) \(response.headers[.eTag] ?? "") \(response.text)")
        }
        return responses
    }
}

extension TestApp {
    /// Creates a share link and returns the path of its chart.
    func shareLink(of team: SignedInTeam) async throws -> String {
        let response = try await send(.put, "\(team.path)/share-link", token: team.lead.token)
        let link = try #require(response.object["chart"] as? String)
        return try #require(URL(string: link)).path
    }
}
