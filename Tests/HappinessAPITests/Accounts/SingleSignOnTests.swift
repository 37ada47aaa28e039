import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Login through an OpenID provider, from the button to the tokens.
@Suite struct SingleSignOnTests {
    @Test(.thorough) func `A whole log-in at a real provider ends with tokens for the app`() async throws {
        try await OpenIDProviderProcess.with { provider in
            for authentication in ["client_secret_basic", "client_secret_post"] {
                let client = try await provider.register(
                    redirectURI: "http://localhost:8080/login/company/callback", authentication: authentication)
                try await provider.put(
                    "s-9",
                    claims: [
                        "email": "grace@example.org", "email_verified": true, "name": "Grace Hopper",
                        "preferred_username": "grace",
                    ])
                let settings = [
                    "OIDC_PROVIDERS": "company", "OIDC_COMPANY_ISSUER": provider.issuer,
                    "OIDC_COMPANY_CLIENT_ID": client.id, "OIDC_COMPANY_CLIENT_SECRET": client.secret,
                    "OIDC_COMPANY_CREATE": "guest",
                ]
                // The provider uses the machine's clock. It names no methods, so the client uses basic authentication;
                // the provider rejects that for a client registered for the form.
                try await TestApp.with(now: Date(), settings: settings) { app in
                    let visit = try await SingleSignOnVisit(app)
                    let back = try await provider.logIn("s-9", at: visit.location)
                    let response = try await visit.comeBack(String(back.dropFirst("http://localhost:8080".count)))
                    guard authentication == "client_secret_basic" else {
                        expectPage(response, 503, saying: "can’t be reached")
                        return
                    }
                    expectPage(response, saying: "You’re logged in")
                    let tokens = try await app.exchange(response)
                    let me = try await app.get("/api/v1/me", token: tokens["accessToken"] as? String).object
                    #expect(me["name"] as? String == "grace")
                    #expect(me["role"] as? String == "guest")
                }
            }
        }
    }

    @Test func `The app exchanges the code on the page for tokens once`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let page = try await fixture.logIn()
            expectPage(page, saying: "ada")
            #expect(!page.text.contains("eyJ"), "no token on the page")
            let code = try #require(page.code)
            let body = "{\"code\":\"\(code)\",\"device\":\"Phone\"}"
            let first = try await fixture.app.post("/api/v1/auth/exchange", json: body)
            #expect(first.status == .ok)
            #expect(first.headers[.cacheControl] == "no-store")
            let token = first.object["accessToken"] as? String
            let sessions = try await fixture.app.get("/api/v1/me/sessions", token: token)
            #expect(sessions.text.contains("Phone"))
            let refresh = "{\"refreshToken\":\"\(first.object["refreshToken"] as? String ?? "")\"}"
            #expect(try await fixture.app.post("/api/v1/auth/refresh", json: refresh).status == .ok)
            expectRejection(try await fixture.app.post("/api/v1/auth/exchange", json: body), 401)
        }
    }

    @Test func `The code is valid for a minute, and not for a disabled account`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let late = try #require(try await fixture.logIn().code)
            fixture.app.clock.advance(by: 60)
            expectRejection(try await fixture.app.post("/api/v1/auth/exchange", json: "{\"code\":\"\(late)\"}"), 401)
            let code = try #require(try await fixture.logIn().code)
            let user = try #require(try await fixture.app.stores.user(login: "ada"))
            try await fixture.app.stores.update(id: user.id, UserUpdate(isDisabled: true))
            expectRejection(try await fixture.app.post("/api/v1/auth/exchange", json: "{\"code\":\"\(code)\"}"), 401)
            expectRejection(try await fixture.app.post("/api/v1/auth/exchange", json: "{\"code\":\"made up\"}"), 401)
            expectRejection(try await fixture.app.post("/api/v1/auth/exchange", json: "{}"), 400)
        }
    }

    @Test func `Of many who send a code at once, one gets tokens`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let code = try #require(try await fixture.logIn().code)
            let other = try #require(try await fixture.logIn().code)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    let body = "{\"code\":\"\(number.isMultiple(of: 2) ? code : other)\"}"
                    group.addTask { try await fixture.app.post("/api/v1/auth/exchange", json: body).status.code }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 401, count: 7))
            let user = try #require(try await fixture.app.stores.user(login: "ada"))
            #expect(try await fixture.app.stores.sessions(of: user.id, at: .distantPast).count == 1)
        }
    }

    @Test func `A client that asks for JSON gets the tokens themselves`() async throws {
        try await SingleSignOnFixture.with { fixture in
            fixture.provider.change { $0.edit = { $0["locale"] = "de-AT" } }
            let response = try await fixture.logIn(query: "?format=json")
            #expect(response.status == .ok)
            #expect(response.headers[.cacheControl] == "no-store")
            let me = try await fixture.app.get("/api/v1/me", token: response.object["accessToken"] as? String)
            #expect(me.object["email"] as? String == "ada@example.org")
            #expect(me.object["locale"] as? String == "de")
            expectPage(try await fixture.logIn(), saying: "Du bist angemeldet", language: "de")
            expectPage(try await fixture.app.get("/login/company?format=xml"), 400)
        }
    }

    @Test func `The list names the providers and where to begin`() async throws {
        try await SingleSignOnFixture.with(settings: ["OIDC_COMPANY_NAME": "Our \"company\""]) { fixture in
            let response = try await fixture.app.get("/api/v1/auth/providers")
            let company = #"{"id":"company","name":"Our \"company\"","url":"http://localhost:8080/login/company"}"#
            #expect(response.text.contains(company))
        }
        try await TestApp.with { app in
            #expect(try await app.get("/api/v1/auth/providers").classic == #"200 {"providers":[]}"#)
            expectPage(try await app.get("/login/company"), 404, saying: "no such log-in provider")
            expectPage(try await app.get("/login/company/callback?code=a&state=b"), 404)
        }
    }

    @Test func `The cookie is out of reach of scripts and other sites`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let cookie = try #require(try await fixture.app.get("/login/company").headers[.setCookie])
            #expect(cookie.hasPrefix("sign-on-8080."))
            #expect(cookie.hasSuffix("; Max-Age=600; Path=/; HttpOnly; SameSite=Lax"))
        }
        try await SingleSignOnFixture.with(settings: ["PUBLIC_URL": "https://happiness.example.org"]) { fixture in
            let response = try await fixture.app.get("/login/company")
            let cookie = try #require(response.headers[.setCookie])
            #expect(cookie.hasPrefix("__Host-sign-on."))
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
            let location = try #require(response.headers[.location])
            #expect(location.contains("redirect_uri=https%3A%2F%2Fhappiness.example.org%2Flogin%2Fcompany%2Fcallback&"))
        }
    }
}
