import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// The server with a provider `company`; another one, `second`, is unavailable.
struct SingleSignOnFixture: Sendable {
    let app: TestApp
    let provider: OpenIDSimulator

    /// Runs `body` with both. New accounts get the member role unless the settings say otherwise.
    static func with(
        settings: [String: String] = [:], _ body: @escaping @Sendable (SingleSignOnFixture) async throws -> Void
    ) async throws {
        try await OpenIDSimulator.with(clock: SettableClock(TestApp.now).wall) { provider in
            let standard = [
                "OIDC_PROVIDERS": "company,second", "OIDC_COMPANY_ISSUER": provider.issuer,
                "OIDC_COMPANY_CLIENT_ID": OpenIDSimulator.clientID,
                "OIDC_COMPANY_CLIENT_SECRET": OpenIDSimulator.clientSecret, "OIDC_COMPANY_CREATE": "member",
                // Nothing listens on the discard port.
                "OIDC_SECOND_ISSUER": "http://127.0.0.1:9", "OIDC_SECOND_CLIENT_ID": "a",
                "OIDC_SECOND_CLIENT_SECRET": "b",
            ]
            try await TestApp.with(settings: standard.merging(settings) { $1 }) { app in
                try await body(SingleSignOnFixture(app: app, provider: provider))
            }
        }
    }

    /// A complete login in one browser.
    func logIn(query: String = "") async throws -> TestResponse {
        let visit = try await SingleSignOnVisit(app, query: query)
        return try await visit.comeBack("/login/company/callback?\(try provider.logIn(at: visit.location))")
    }
}

/// A browser that was redirected to the provider `company`, with its cookie.
struct SingleSignOnVisit: Sendable {
    /// The redirect's destination.
    let location: String
    /// `NAME=VALUE`.
    let cookie: String
    private let app: TestApp

    init(_ app: TestApp, query: String = "") async throws {
        let response = try await app.get("/login/company\(query)")
        #expect(response.status == .seeOther)
        #expect(response.headers[.cacheControl] == "no-store")
        location = try #require(response.headers[.location])
        cookie = try #require(response.headers[.setCookie]?.split(separator: ";").first.map(String.init))
        self.app = app
    }

    init(cookie: String, app: TestApp) {
        location = ""
        self.cookie = cookie
        self.app = app
    }

    /// The name of the cookie.
    var cookieName: String { String(cookie.prefix { $0 != "=" }) }

    /// The state that the provider returns.
    var state: String? {
        URLComponents(string: location)?.queryItems?.first { $0.name == "state" }?.value
    }

    func comeBack(_ uri: String) async throws -> TestResponse {
        try await app.get(uri, headers: [.cookie: "other=1; \(cookie)"])
    }
}

extension TestResponse {
    /// The code on the page, if it shows one.
    var code: String? {
        text.firstMatch(of: /<code class="secret">([A-Za-z0-9_-]{43})</).map { String($0.1) }
    }
}

extension TestApp {
    /// Exchanges the code on a page for tokens.
    func exchange(_ page: TestResponse) async throws -> [String: Any] {
        let code = try #require(page.code)
        return try await post("/api/v1/auth/exchange", json: "{\"code\":\"\(code)\"}").object
    }
}
