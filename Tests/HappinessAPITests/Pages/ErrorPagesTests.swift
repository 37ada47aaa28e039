import HTTPTypes
import HummingbirdTesting
import Testing

@testable import HappinessAPI

/// Responses to requests without a matching route, for people and for programs.
@Suite struct ErrorPagesTests {
    private static let browser: HTTPFields = [
        .accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", .acceptLanguage: "de-AT,de;q=0.9",
    ]

    @Test func `A mistyped address gives people a page and programs a document`() async throws {
        try await TestApp.with { app in
            let page = try await app.get("/histroy", headers: Self.browser)
            #expect(page.status == .notFound)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.text.contains("<html lang=\"de\"") && page.text.contains("href=\"/\""))
            #expect(page.headers[.contentSecurityPolicy] == SecurityHeadersMiddleware.page)
            let document = try await app.get("/histroy")
            expectRejection(document, 404)
            #expect(document.headers[.contentType] == "application/problem+json")
        }
    }

    @Test(arguments: ["/api/v1/nothing", "/api/v1/me", "/user/nothing", "/happiness/sprints"])
    func `Below the APIs, everyone gets a document`(path: String) async throws {
        try await TestApp.with { app in
            let response = try await app.get(path, headers: Self.browser)
            #expect(response.status.code >= 400)
            #expect(response.headers[.contentType]?.contains("json") == true)
        }
    }

    @Test func `The page for a wrong method still says which ones are allowed`() async throws {
        try await TestApp.with { app in
            let page = try await app.get("/logout", headers: Self.browser)
            #expect(page.status == .methodNotAllowed)
            #expect(page.headers[.allow] == "POST")
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        }
    }
}
