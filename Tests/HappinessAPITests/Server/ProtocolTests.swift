import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// HTTP itself: addresses, methods, headers.
@Suite struct ProtocolTests {
    @Test(arguments: [
        "/nothing", "/api/v1", "/api/v1/nothing", "/api/v2/me", "/user", "/user/nothing", "/happiness/nothing",
        "/assets/nothing.css", "/assets/../Package.swift", "/assets/%2e%2e%2fPackage.swift", "/.env",
        "/user/login/x",
    ])
    func `An unknown address gives 404`(path: String) async throws {
        try await TestApp.with { app in
            let isClassic = path.hasPrefix("/user/") || path.hasPrefix("/happiness/")
            expectRejection(try await app.get(path), 404, classic: isClassic, path)
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/user/login", "POST"), (.post, "/user/profile", "GET, HEAD"),
        (.get, "/happiness/track", "POST"), (.delete, "/happiness/sprints", "GET, HEAD"),
        (.put, "/api/v1/auth/login", "POST"), (.post, "/api/v1/ping", "GET, HEAD"), (.post, "/", "GET, HEAD"),
        (.get, "/api/v1/teams/x/sprints/2026/2/ballots", "POST"), (.patch, "/api/v1/teams/x/share-link", "DELETE, PUT"),
        (.post, "/health/live", "GET, HEAD"), (.put, "/api/v1/invitations/import", "POST"),
        (.put, "/api/v1/invitations/0123", "DELETE"), (.put, "/api/v1/teams/x/sprints/current", "GET, HEAD"),
    ])
    func `A wrong method gives 405 and says which ones are allowed`(
        method: HTTPRequest.Method, path: String, allowed: String
    ) async throws {
        try await TestApp.with { app in
            let response = try await app.send(method, path)
            let isClassic = path.hasPrefix("/user/") || path.hasPrefix("/happiness/")
            expectRejection(response, 405, classic: isClassic, path)
            #expect(response.headers[.allow] == allowed)
        }
    }

    @Test(arguments: [
        ("application/json", true), ("application/json; charset=utf-8", true), ("Application/JSON", true),
        ("application/json ;charset=UTF-8", true), ("\tapplication/json", true), ("application/jsonp", false),
        ("text/plain; application/json", false), ("application/json, text/plain", false), ("", false), (";", false),
    ])
    func `A media type is recognised by name, whatever its case and parameters`(contentType: String, isJSON: Bool) {
        #expect(contentType.isMediaType("application/json") == isJSON)
    }

    @Test func `HEAD answers like GET, without a body`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            for path in ["/login", "/openapi.yaml", "/health/live", "\(team.path)/sprints", "/user/profile"] {
                let get = try await app.get(path, token: team.lead.token)
                let head = try await app.send(.head, path, token: team.lead.token)
                #expect(head.status == get.status && head.status == .ok, "\(path)")
                #expect(head.headers[.eTag] == get.headers[.eTag])
                #expect(head.body.readableBytes == 0)
            }
            expectRejection(try await app.get("\(team.path)/sprints"), 401)
        }
    }

    @Test func `Every answer has restrictive security headers`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let paths = [
                "/", "/api", "/openapi.yaml", "/health/live", "/health/ready", "/nothing", "/user/profile",
                "/user/login",
                "\(team.path)/sprints", "\(team.path)/history.csv", "\(team.path)/chart.svg", "/api/v1/teams/x",
            ]
            for path in paths {
                let response = try await app.get(path, token: team.lead.token)
                #expect(response.headers[.xContentTypeOptions] == "nosniff", "\(path)")
                #expect(response.headers[.referrerPolicy] == "no-referrer", "\(path)")
                let policy = response.headers[.contentSecurityPolicy]
                #expect(policy?.hasPrefix("default-src '") == true, "\(path)")
                #expect(policy?.contains("unsafe-eval") == false, "\(path)")
                #expect(response.headers[.accessControlAllowOrigin] == nil, "\(path)")
                #expect(response.headers[.server] == nil, "\(path)")
            }
            for path in ["/login", "/api"] {
                let page = try await app.get(path)
                #expect(page.headers[.contentType] == "text/html; charset=utf-8")
                #expect(page.headers[.contentSecurityPolicy] == SecurityHeadersMiddleware.page)
                #expect(!page.text.contains("<script>") && !page.text.contains("style=\""), "\(path)")
            }
        }
    }

    @Test func `Files of the program are served with their types`() async throws {
        try await TestApp.with { app in
            let picture = try await app.get("/assets/default-picture.png")
            #expect(picture.status == .ok && picture.headers[.contentType] == "image/png")
            #expect(picture.body.getBytes(at: 1, length: 3) == Array("PNG".utf8))
            let description = try await app.get("/openapi.yaml")
            #expect(description.status == .ok && description.headers[.contentType] == "application/yaml")
        }
    }

    @Test func `Personal answers are not cached`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            for path in ["/api/v1/me", "/api/v1/teams", "\(team.path)/sprints/current", "/user/profile"] {
                let response = try await app.get(path, token: team.lead.token)
                #expect(response.headers[.cacheControl] == "no-store", "\(path)")
            }
        }
    }
}
