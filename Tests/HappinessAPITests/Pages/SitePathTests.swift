import Foundation
import TestSupport
import Testing

@testable import HappinessAPI

/// The addresses of this site.
@Suite struct SitePathTests {
    @Test func `Every address belongs to a route`() async throws {
        let routes = try await OpenAPITests.routedOperations().map { $0.path.split(separator: "/") }
        let source = try Repository.text("Sources/HappinessAPI/Pages/SitePath+Routes.swift")
        let addresses = source.matches(of: /SitePath\(path: "([^"]*)"\)/).map { String($0.output.1) }
        #expect(addresses.count == source.matches(of: /SitePath\(path:/).count, "not written out")
        for address in addresses {
            // The label of a sprint is a year and a number.
            let segments = address.replacing("\\(label)", with: "2026/1").replacing(/\\\([^)]*\)/, with: "x")
                .split(separator: "/")
            let isRoute = routes.contains { route in
                route.count == segments.count && zip(route, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
            }
            #expect(isRoute, "\(address)")
        }
    }

    /// Routes are patterns, and the server's own rules about the paths of requests are no addresses.
    private static let others = [
        "Feature.swift", "/SitePath+Routes.swift", "/SitePath.swift", "/ErrorPages.swift", "/ErrorStyle.swift",
        "/MetricsEndpoint.swift",
        "/RequestLogMiddleware.swift", "/RouteGroups.swift", "/HealthCommand.swift",
    ]

    @Test func `No other file writes an address out`() throws {
        for source in try Repository.sources(in: "Sources/HappinessAPI") {
            guard !Self.others.contains(where: { source.path.hasSuffix($0) }) else { continue }
            let code = source.text.split(separator: "\n").filter {
                !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
            }
            let found = code.filter { $0.contains(/"(?:\\\(publicURL\))?\/(?!proc\/)[a-z]/) }
            #expect(found.isEmpty, "\(source.path)")
        }
    }

    @Test func `Fields are encoded once, and blank ones left out`() {
        let address = SitePath.adminTeams.adding("search", "A & B + 5 %").adding("after", nil).adding("own", "")
            .adding("done", "team-added").at("list")
        #expect(address.path == "/admin/teams?search=A%20%26%20B%20%2B%205%20%25&done=team-added#list")
        #expect(SitePath.adminTeams.adding("search", "").path == "/admin/teams")
        #expect(address.page == .adminTeams)
    }

    /// `Request.query`, which reads it, keeps a plus sign.
    @Test func `The login leads back to the very page`() {
        #expect(SitePath.login.adding(next: SitePath(sent: "/a+b/c")).path == "/login?next=/a+b/c")
    }

    @Test func `A response has the path of PUBLIC_URL, and the address itself has not`() {
        SitePath.$root.withValue("/mood") {
            #expect(SitePath.login.description == "/mood/login")
            #expect(SitePath.login.path == "/login")
        }
        #expect(SitePath.login.description == "/login")
    }

    @Test(arguments: ["/teams/a/vote", "/teams/a/vote/", "/teams/a/vote/plain", "/teams/a/vote/plain/"])
    func `The path of a ballot's form has its team`(path: String) {
        #expect(SitePath.team(ofVoteAt: path) == "a")
        #expect(SitePath.team(ofVoteAt: "\(path)x") == nil)
        #expect(SitePath.team(ofVoteAt: "/teams/a/b/vote") == nil)
    }
}
