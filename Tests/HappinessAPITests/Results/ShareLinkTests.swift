import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// The chart that a team shows to anyone with its link.
@Suite struct ShareLinkTests {
    @Test func `A team shares nothing until a lead allows it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            #expect(try await app.get(team.path, token: team.lead.token).object["isShared"] as? Bool == false)
            for token in ["", "x", String(repeating: "A", count: 43), "null", team.id.description] {
                expectRejection(try await app.get("/api/v1/shared/\(token)/chart.svg"), 404, token)
            }
            expectRejection(try await app.send(.put, "\(team.path)/share-link", token: team.members[1].token), 403)
            expectRejection(try await app.send(.delete, "\(team.path)/share-link", token: team.members[1].token), 403)
        }
    }

    @Test func `The link works without a log-in, and only under the public URL`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://happy.example"]) { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.closedSprint(of: team)
            let forwardedHost = try #require(HTTPField.Name("X-Forwarded-Host"))
            let response = try await app.send(
                .put, "\(team.path)/share-link", token: team.lead.token, headers: [forwardedHost: "evil.example"])
            let link = try #require(response.object["chart"] as? String)
            #expect(link.hasPrefix("https://happy.example/api/v1/shared/") && link.hasSuffix("/chart.svg"))
            let path = String(link.dropFirst("https://happy.example".count))
            let chart = try await app.get(path)
            #expect(chart.status == .ok && chart.headers[.contentType] == "image/svg+xml")
            #expect(chart.text.contains("19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026: "))
            let tag = try #require(chart.headers[.eTag])
            #expect(try await app.get(path, headers: [.ifNoneMatch: tag]).status == .notModified)
            #expect(try await app.get(team.path, token: team.lead.token).object["isShared"] as? Bool == true)
        }
    }

    @Test func `The page behind the link shows the latest published value and the chart`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.closedSprint(of: team)
            let response = try await app.send(.put, "\(team.path)/share-link", token: team.lead.token)
            let chart = try #require(response.object["chart"] as? String)
            let address = try #require(response.object["page"] as? String)
            let path = try #require(URL(string: address)?.path)
            #expect(path == "/shared/\(chart.split(separator: "/").dropLast().last ?? "")")
            let page = try await app.get("\(path)?language=en")
            expectPage(page, saying: "3 of 3 answers")
            #expect(page.headers[.cacheControl] == "no-store")
            let source = try #require(page.text.firstMatch(of: /class="chart" src="([^"]+)"/)?.output.1)
            let image = try await app.get(String(source).replacing("&amp;", with: "&"))
            #expect(image.status == .ok && image.text.contains("19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026: "))
            // A ballot that is not published changes nothing.
            _ = try await app.vote(team.lead, in: team, 0)
            app.clock.advance(by: 2)
            #expect(try await app.get("\(path)?language=en").text == page.text)
            let german = try await app.get("\(path)?language=de")
            #expect(german.text.contains("3 von 3 Antworten"))
            _ = try await app.send(.delete, "\(team.path)/share-link", token: team.lead.token)
            #expect(try await app.get(path).status == .notFound)
        }
    }

    @Test func `The page and the chart behind the link mark imported results`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            try await app.importHistory("2026/1,2026-01-05,2026-01-18,8,6,9", into: team)
            let response = try await app.send(.put, "\(team.path)/share-link", token: team.lead.token)
            let path = try #require((response.object["page"] as? String).flatMap(URL.init)?.path)
            let page = try await app.get("\(path)?language=en")
            expectPage(page, saying: "5–18\u{a0}January <span class=\"tag\">imported</span>")
            let link = try #require((response.object["chart"] as? String).flatMap(URL.init)?.path)
            let chart = try await app.get("\(link)?language=de").text
            #expect(chart.contains("Zufriedenheit je Sprint, bis 18.\u{a0}Jan.\u{a0}2026 importiert"))
            #expect(chart.contains("(6 Stimmen, importiert)"))
        }
    }

    @Test func `A team without results shows a sleeping face to everyone with its link`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let response = try await app.send(.put, "\(team.path)/share-link", token: team.lead.token)
            let path = try #require((response.object["page"] as? String).flatMap(URL.init)?.path)
            let page = try await app.get("\(path)?language=en")
            expectPage(page, saying: "asleep")
            #expect(!page.text.contains("chart.svg"))
        }
    }

    @Test func `A new link ends the old one, and no link is left when it is revoked`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let first = try await app.shareLink(of: team)
            let second = try await app.shareLink(of: team)
            #expect(first != second)
            expectRejection(try await app.get(first), 404)
            #expect(try await app.get(second).status == .ok)
            let revoked = try await app.send(.delete, "\(team.path)/share-link", token: team.lead.token)
            #expect(revoked.status == .noContent)
            let gone = try await app.get(second)
            expectRejection(gone, 404)
            #expect(gone.text == (try await app.get(first)).text)
        }
    }

    @Test func `The link does not show what the team keeps unpublished`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let link = try await app.shareLink(of: team)
            let before = try await app.get(link).text
            _ = try await app.vote(team.lead, in: team, 0)
            app.clock.advance(by: 2)
            #expect(try await app.get(link).text == before)
        }
    }
}
