import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// A team's events over real connections.
@Suite struct EventRouteTests {
    @Test(.thorough, arguments: StoreUnderTest.all)
    func `Only what one process publishes is heard through the other`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            try await TestApp.with(stores: stores, over: .live) { first in
                let team = try await first.makeTeam(members: 9)
                _ = try await first.get("\(team.path)/sprints/current", token: team.lead.token)
                try await TestApp.with(stores: stores, over: .live) { second in
                    let number = try await #require(stores.publicationNumber(of: team.id))
                    let stream = try await EventConnection.open(
                        to: team, as: try await second.token(of: team.lead.user), in: second)
                    #expect(await stream.connection.receive { $0.contains("id: \(number)\n\n") })

                    for member in team.members.prefix(5) { _ = try await first.vote(member, in: team) }
                    #expect(try await stores.publicationNumber(of: team.id) == number, "nothing to hear of yet")
                    _ = try await first.vote(team.members[5], in: team)
                    #expect(await stream.connection.receive { $0.contains("event: publication") })
                    let text = stream.connection.received
                    let news = number + 1
                    #expect(text.contains("id: \(news)\nevent: publication\ndata: {\"number\":\(news)}\n\n"))
                    #expect(text.matches(of: /event:/).count == 1)
                    try await stream.connection.close()
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A returning client immediately learns of missed publications`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            let number = try await #require(app.stores.publicationNumber(of: team.id))
            let token = team.lead.token
            for (query, header, isNews) in [
                ("?after=\(number)", nil, false), ("?after=\(number - 1)", nil, true), ("", "\(number)", false),
                ("", "\(number + 7)", true), ("?after=\(number)", "nonsense", true), ("", nil, false),
            ] as [(String, String?, Bool)] {
                let stream = try await EventConnection.open(to: team, query, as: token, lastEventID: header, in: app)
                let goal = isNews ? "id: \(number)\nevent: publication" : "id: \(number)\n\n"
                #expect(await stream.connection.receive { $0.contains(goal) }, "\(query) \(header ?? "-")")
                #expect(stream.connection.received.contains("event:") == isNews, "\(query) \(header ?? "-")")
                try await stream.connection.close()
                await app.feed.waitUntilIdle()
            }
        }
    }

    @Test func `The answer is a stream that no cache and no proxy keeps`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam(members: 1)
            let stream = try await EventConnection.open(to: team, as: team.lead.token, in: app)
            #expect(await stream.connection.receive { $0.contains("retry: 3000\n") })
            let head = stream.connection.received.lowercased()
            #expect(head.hasPrefix("http/1.1 200"))
            #expect(head.contains("content-type: text/event-stream\r\n"))
            #expect(head.contains("cache-control: no-store\r\n") && head.contains("x-accel-buffering: no\r\n"))
            try await stream.connection.close()
            let response = try await app.send(.head, "\(team.path)/events", token: team.lead.token)
            #expect(response.status == .ok)
        }
    }

    @Test func `Only members hear a team's events`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam(members: 1)
            let stranger = try await app.makeTeam("Red").lead
            expectRejection(try await app.get("\(team.path)/events"), 401)
            expectRejection(try await app.get("\(team.path)/events", token: stranger.token), 404)
            let browser = try await app.browser(of: team.lead.user)
            let stream = try await EventConnection.open(to: team, headers: "Cookie: \(browser.cookie)", in: app)
            #expect(await stream.connection.receive { $0.contains("retry: 3000\n") })
            try await stream.connection.close()
        }
    }

    @Test(.thorough) func `A removed member hears nothing more`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(policy: .immediate))
            let removed = team.members[2]
            let stream = try await EventConnection.open(to: team, as: removed.token, in: app)
            #expect(await stream.connection.receive { $0.contains("retry:") })
            try await app.stores.remove(userID: removed.user.id, from: team.id)
            app.clock.advance(by: 6)
            _ = try await app.vote(team.lead, in: team)
            await stream.connection.untilClosed()
            #expect(!stream.connection.received.contains("event:"))
        }
    }

    @Test(.thorough) func `A session that has ended hears nothing more`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(policy: .immediate))
            let listener = team.members[2]
            let stream = try await EventConnection.open(to: team, as: listener.token, in: app)
            #expect(await stream.connection.receive { $0.contains("retry:") })
            #expect(try await app.post("/api/v1/auth/logout", token: listener.token, json: "{}").status == .noContent)
            _ = try await app.vote(team.lead, in: team)
            await stream.connection.untilClosed()
            #expect(!stream.connection.received.contains("event:"))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `Six streams per user are the limit, and a closed one makes room`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam(members: 2)
            var streams: [EventConnection] = []
            for _ in 0..<PublicationFeed.maximumPerUser {
                let stream = try await EventConnection.open(to: team, as: team.lead.token, in: app)
                #expect(await stream.connection.receive { $0.contains("retry:") })
                streams.append(stream)
            }
            let refused = try await app.get("\(team.path)/events", token: team.lead.token)
            expectRejection(refused, 429)
            #expect(refused.headers[.retryAfter] == "30")
            #expect(refused.text.contains("too-many-streams"))
            let other = try await EventConnection.open(to: team, as: team.members[1].token, in: app)
            #expect(await other.connection.receive { $0.contains("retry:") })
            for stream in streams + [other] { try await stream.connection.close() }
            await app.feed.waitUntilIdle()
            let again = try await EventConnection.open(to: team, as: team.lead.token, in: app)
            #expect(await again.connection.receive { $0.contains("retry:") })
            try await again.connection.close()
        }
    }

    /// The framework would crash the process if a stream's request body were not its own.
    @Test func `An Expect header does not change a stream`() async throws {
        try await TestApp.with(over: .live) { app in
            let team = try await app.makeTeam()
            let stream = try await EventConnection.open(
                to: team, headers: "Authorization: Bearer \(team.lead.token)\r\nExpect: 100-continue", in: app)
            #expect(await stream.connection.receive { $0.contains("retry:") })
            try await stream.connection.close()
        }
    }

    @Test func `A server that stops ends its streams at once`() async throws {
        let clock = ContinuousClock()
        let stopped = try await StoreUnderTest.sqlite.withStores { stores in
            let (ends, end) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
            try await TestApp.with(stores: stores, over: .live) { app in
                let team = try await app.makeTeam(members: 2)
                for member in team.members {
                    let stream = try await EventConnection.open(to: team, as: member.token, in: app)
                    #expect(await stream.connection.receive { $0.contains("retry:") })
                }
                end.yield(clock.now)
            }
            end.finish()
            return await ends.first { _ in true }
        }
        let begun = try #require(stopped)
        // It takes milliseconds. Otherwise streams would last half an hour.
        #expect(clock.now - begun < .seconds(5))
    }
}

/// A client that reads a team's events.
private struct EventConnection {
    let connection: RawConnection

    static func open(
        to team: SignedInTeam, _ query: String = "", as token: String, lastEventID: String? = nil, in app: TestApp
    ) async throws -> EventConnection {
        let last = lastEventID.map { "\r\nLast-Event-ID: \($0)" } ?? ""
        return try await open(to: team, query, headers: "Authorization: Bearer \(token)\(last)", in: app)
    }

    static func open(
        to team: SignedInTeam, _ query: String = "", headers: String, in app: TestApp
    ) async throws -> EventConnection {
        let connection = try await RawConnection.open(port: try #require(app.port))
        try await connection.send("GET \(team.path)/events\(query) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\r\n")
        return EventConnection(connection: connection)
    }
}

extension RawConnection {
    /// Returns when the server has closed it.
    fileprivate func untilClosed() async {
        _ = await receive { _ in false }
    }
}
