import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ports
import TestSupport
import Testing

@testable import HappinessAPI

/// The spans of requests, which leave the installation if it has a collector.
@Suite struct RequestSpanTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `No route of a ballot has a span, and no file of its page`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let places = ["{team}": team.id.description, "{year}": "2026", "{number}": "2", "{key}": "00"]
            for pattern in BallotRoutes.patterns.sorted() {
                let path = places.reduce(pattern) { $0.replacing($1.key, with: $1.value) }
                var statuses: Set<Int> = []
                for method in [HTTPRequest.Method.get, .post, .put] {
                    let headers: HTTPFields = [.traceparent: Self.parent, .contentType: "application/json"]
                    statuses.insert(try await app.send(method, path, headers: headers).status.code)
                }
                // The router rejects PUT and knows another method. Otherwise the test would show nothing.
                #expect(statuses.contains(405) && statuses.count > 1, "\(pattern)")
            }
            #expect(try await app.vote(team.lead, in: team).status == .created)
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            _ = try await app.get("/happiness/hasVoted?sprint=2026/2", token: team.lead.token)
            _ = try await app.post(
                "/happiness/track", token: team.members[1].token, form: "happiness=4.2&sprint=2026/2")
            // What a browser loads with the page of a vote, and what its service worker then keeps.
            for path in [
                "/assets/app.css", "/assets/v/1/vote.js", "/favicon.ico", "/pictures/initials/AB.svg",
                "/api/v1/push/web-key",
            ] {
                _ = try await app.get(path)
            }
            _ = try await app.get("/api/v1/me/devices", token: team.lead.token)
            let worker = try await app.get("/service-worker.js").text
            let kept = worker.matches(of: /"(\/[^"]+)"/).map { String($0.output.1) }
            #expect(kept.contains { $0.hasPrefix("/offline") })
            for path in kept { _ = try await app.get(path) }
            #expect(app.spans.take(100).map(\.name) == [])

            _ = try await app.get("/health/live")
            #expect(app.spans.take(100).map(\.name) == ["GET /health/live"])
        }
    }

    @Test func `A span has method, pattern and status, and nothing about its sender`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let headers: HTTPFields = [.traceparent: Self.parent, .userAgent: "some-browser"]
            _ = try await app.send(.get, "\(team.path)/sprints?year=2026", token: team.lead.token, headers: headers)
            _ = try await app.get("\(team.path)/sprints")
            _ = try await app.get("/nowhere")
            let spans = app.spans.take(100)
            try #require(spans.count == 2)
            let route = "/api/v1/teams/{team}/sprints"
            for (span, status) in zip(spans, [200, 401]) {
                #expect(span.name == "GET \(route)" && span.kind == .server && !span.hasFailed)
                #expect(
                    span.attributes == [
                        "http.request.method": .text("GET"), "http.route": .text(route),
                        "http.response.status_code": .number(status),
                    ])
            }
            #expect(spans[0].traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && spans[0].parentID == "00f067aa0ba902b7")
            #expect(spans[1].traceID != spans[0].traceID && spans[1].parentID == nil)
            for text in [team.id.description, team.lead.token, "some-browser", "year=", "blue0"] {
                #expect(!"\(spans)".contains(text), "\(text)")
            }
        }
    }
}
