import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// An installation that shares its host with others.
@Suite struct PublicPathTests {
    private static let path = PublicPath(publicURL: "https://intranet.example.org/mood")

    @Test(arguments: [
        ("/mood/teams/1?language=de", "/teams/1?language=de"), ("/mood", "/"), ("/mood/", "/"), ("/mood?x=1", "/?x=1"),
        ("/moody", "/moody"), ("/health", "/health"), ("/mood/mood", "/mood"),
    ])
    func `Routes see addresses without it`(address: String, seen: String) {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "intranet.example.org", path: address)
        let request = Request(head: head, body: RequestBody(buffer: .init()))
        #expect(Self.path.removed(from: request).head.path == seen)
        #expect(PublicPath.none.removed(from: request).head.path == address)
    }

    @Test func `Templates get it in the addresses that are written out, and nowhere else`() {
        let template = #"""
            <a class="a" href="/"><img src="/x.png" alt="/x"></a><form action="/f" data-path="/e">
            <input value="/teams" formaction="/g">=&quot;/x <a href="https://example.org/">="/</a> 😀
            <a href="{{address}}/history">/history</a></form>
            """#
        let read = #"""
            <a class="a" href="/mood/"><img src="/mood/x.png" alt="/x"></a><form action="/mood/f" data-path="/e">
            <input value="/teams" formaction="/mood/g">=&quot;/x <a href="https://example.org/">="/</a> 😀
            <a href="{{address}}/history">/history</a></form>
            """#
        #expect(Self.path.added(toTemplate: template) == read)
        #expect(PublicPath.none.added(toTemplate: template) == template)
    }

    @Test func `Every page leads to addresses with it`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org/mood"]) { app in
            let team = try await app.makeTeam(members: 9)
            // With results, so that there are charts, which lead to sprints.
            try await app.importHistory(
                "2025/26,2025-12-22,2026-01-04,7,6,9\n2026/1,2026-01-05,2026-01-18,8,6,9", into: team)
            let admin = try await app.makeUser("root", role: .admin)
            for (user, addresses) in [
                (
                    team.lead.user,
                    [
                        "", "/vote", "/vote/plain", "/history", "/sprints/2026/1", "/actions",
                        "/actions/new", "/manage", "/manage/settings", "/manage/members", "/manage/reminders",
                        "/manage/messages", "/manage/experiments",
                    ].map { team.pagePath + $0 }
                ),
                (team.lead.user, ["/settings", "/settings/notifications", "/search?search=history"]),
                (admin, ["/admin", "/admin/people", "/admin/teams", "/api/reference", "/api", "/offline"]),
            ] {
                let browser = try await app.browser(of: user)
                for address in addresses {
                    let page = try await browser.get("/mood\(address)")
                    #expect(page.status == .ok, "\(address)")
                    // All attributes, so that a new one with an address cannot be forgotten.
                    let outside = page.text.matches(of: /\s([\w-]+)="(\/(?!mood[\/"?])[^"]*)"/)
                        .map { (name: String($0.output.1), value: String($0.output.2)) }
                    // The reference shows the path of each route, and its script adds the root.
                    #expect(outside.allSatisfy { $0.name == "data-path" }, "\(address): \(outside)")
                }
            }
        }
    }

    @Test func `Charts lead to addresses with it`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org/mood"]) { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importHistory("2026/1,2026-01-05,2026-01-18,8,6,9", into: team)
            let browser = try await app.browser(of: team.lead.user)
            for page in ["history", "manage"] {
                let html = try await browser.get("/mood\(team.pagePath)/\(page)").text
                #expect(html.contains("<a href=\"/mood\(team.pagePath)/sprints/2026/1\" tabindex=\"-1\""), "\(page)")
            }
        }
    }

    /// As the path of one of our pages would.
    @Test(arguments: ["/teams", "/settings", "/happiness"])
    func `A path may begin as one of our own`(path: String) async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org\(path)"]) { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let start = try #require(try await browser.get("\(path)/").headers[.location])
            #expect(start == path + team.pagePath)
            #expect(try await browser.get(start).status == .ok)
        }
    }

    @Test func `Redirects, cookies, errors and the app's files have it`() async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": "https://intranet.example.org/mood"]) { app in
            let user = try await app.makeUser("anna")
            #expect(try await app.get("/mood/settings").headers[.location] == "/mood/login?next=/settings")
            let form = "username=\(user.name)&password=purple%20lamp%209&next=/settings"
            let response = try await app.post("/mood/login", form: form)
            #expect(response.headers[.location] == "/mood/settings")
            let cookie = try #require(response.headers[.setCookie])
            #expect(cookie.hasPrefix("__Secure-happiness+mood="))
            #expect(cookie.hasSuffix("; Path=/mood; HttpOnly; SameSite=Lax; Secure"))
            // A proxy may also hand over what browsers request at the root of the host.
            for root in ["", "/mood"] {
                let way = try await app.get("\(root)/.well-known/change-password")
                #expect(way.headers[.location] == "/mood/settings/password")
            }
            let problem = try await app.get("/mood/api/v1/teams")
            #expect(problem.text.contains(#""type":"/mood/api#"#))
            for file in ["/mood/manifest.webmanifest", "/mood/service-worker.js"] {
                let text = try await app.get(file).text
                #expect(text.contains(#""/mood/assets/v/"#) && !text.contains(#""/assets/"#))
            }
            #expect(try await app.get("/health/live").status == .ok)
        }
    }
}
