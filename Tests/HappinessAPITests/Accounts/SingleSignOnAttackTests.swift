import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Callbacks that must not log anyone in.
@Suite struct SingleSignOnAttackTests {
    @Test func `A callback that does not belong to this browser is refused`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let mine = try await SingleSignOnVisit(fixture.app)
            let other = try await SingleSignOnVisit(fixture.app)
            let query = try fixture.provider.logIn(at: mine.location)
            let callback = "/login/company/callback?\(query)"
            // In Base64, the last character may stand for two bits only, and these are all 0 in A and all 1 in w.
            let forged = String(mine.cookie.dropLast()) + (mine.cookie.hasSuffix("A") ? "w" : "A")
            let refusals = [
                try await other.comeBack(callback),
                try await fixture.app.get(callback),
                try await mine.comeBack("/login/company/callback?\(query)x"),
                try await mine.comeBack("/login/company/callback?code=a"),
                try await mine.comeBack("/login/second/callback?\(query)"),
                // Another site on the host may have set one of the same name.
                try await SingleSignOnVisit(cookie: "\(mine.cookie); \(mine.cookieName)=x", app: fixture.app)
                    .comeBack(callback),
                // The other one's attempt under the name of this one.
                try await SingleSignOnVisit(
                    cookie: "\(mine.cookieName)\(other.cookie.dropFirst(other.cookieName.count))", app: fixture.app
                ).comeBack(callback),
                try await SingleSignOnVisit(cookie: forged, app: fixture.app).comeBack(callback),
            ]
            for rejection in refusals {
                expectPage(rejection, 422, saying: "wasn’t started in this browser")
            }
            let isEnded = refusals.map { $0.headers[.setCookie]?.contains("Max-Age=0") == true }
            #expect(isEnded == [false, false, true, true, true, false, true, true], "only this browser's own attempt")
            #expect(fixture.provider.requests(of: "/token") == 0)
            expectPage(try await mine.comeBack(callback))
        }
    }

    @Test func `A callback is valid once`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let visit = try await SingleSignOnVisit(fixture.app)
            let callback = "/login/company/callback?\(try fixture.provider.logIn(at: visit.location))"
            expectPage(try await visit.comeBack(callback))
            // The cookie was deleted, but an attacker may have kept it.
            expectPage(try await visit.comeBack(callback), 422, saying: "already finished")
        }
    }

    @Test func `A log-in that takes longer than ten minutes has expired`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let visit = try await SingleSignOnVisit(fixture.app)
            let query = try fixture.provider.logIn(at: visit.location)
            fixture.app.clock.advance(by: SingleSignOnCookie.lifetime)
            expectPage(try await visit.comeBack("/login/company/callback?\(query)"), 422, saying: "took too long")
        }
    }

    @Test func `A user who cancels sees a notice and a way back`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let visit = try await SingleSignOnVisit(fixture.app)
            let state = try #require(visit.state)
            let denied = try await visit.comeBack("/login/company/callback?error=access_denied&state=\(state)")
            expectPage(denied, 403, saying: "cancelled")
            #expect(denied.text.contains("href=\"/login/company\""))
            #expect(!denied.text.contains("language=de"), "the address cannot be asked for again")
            let other = try await visit.comeBack("/login/company/callback?error=%3Cscript%3E&state=\(state)")
            expectPage(other, 403, saying: "sent an invalid response")
            let foreign = try await visit.comeBack("/login/company/callback?error=access_denied&state=other")
            expectPage(foreign, 422, saying: "wasn’t started in this browser")
            let stateless = try await visit.comeBack("/login/company/callback?error=access_denied")
            expectPage(stateless, 403, saying: "cancelled")
        }
    }

    @Test func `A token that fails a check is refused, and the log says why without names`() async throws {
        try await SingleSignOnFixture.with { fixture in
            fixture.provider.change { $0.edit = { $0["nonce"] = "other" } }
            expectPage(try await fixture.logIn(), 403, saying: "sent an invalid response")
            fixture.provider.change { $0.signature = .none }
            expectPage(try await fixture.logIn(), 403, saying: "sent an invalid response")
            #expect(fixture.app.log.text.contains("Single sign-on failed"))
            #expect(fixture.app.log.text.contains("nonce"))
            #expect(fixture.app.log.text.firstMatch(of: /\bada\b/.ignoresCase()) == nil)
            #expect(try await fixture.app.stores.user(login: "ada") == nil)
        }
    }

    @Test(.thorough) func `An unreachable provider is reported`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let visit = try await SingleSignOnVisit(fixture.app)
            let query = try fixture.provider.logIn(at: visit.location)
            fixture.provider.change { $0.faults["/token"] = .response(502, "") }
            let response = try await visit.comeBack("/login/company/callback?\(query)")
            expectPage(response, 503, saying: "can’t be reached")
            #expect(response.headers[.retryAfter] == "10")
            let german = try await fixture.app.get("/login/second?language=de")
            expectPage(german, 503, saying: "nicht erreichbar", language: "de")
        }
    }

    @Test func `A user without a verified address of an allowed domain is refused`() async throws {
        try await SingleSignOnFixture.with(settings: ["OIDC_COMPANY_DOMAINS": "example.org"]) { fixture in
            let wrong: [(String, any Sendable, String)] = [
                ("email_verified", false, "hasn’t verified"), ("email_verified", "yes", "hasn’t verified"),
                ("email", "no address", "doesn’t say"), ("email", "ada@sub.example.org", "this domain"),
                ("email", "ada@example.org.evil.example", "this domain"),
                ("email", "ada@evilexample.org", "this domain"),
            ]
            for (claim, value, words) in wrong {
                fixture.provider.change { $0.edit = { $0[claim] = value } }
                expectPage(try await fixture.logIn(), 403, saying: words)
            }
            fixture.provider.change { $0.edit = { $0["email_verified"] = nil } }
            expectPage(try await fixture.logIn(), 403, saying: "hasn’t verified")
            #expect(try await fixture.app.stores.users(after: nil, limit: 10).isEmpty)
            fixture.provider.change { $0.edit = { $0["email"] = "Ada@EXAMPLE.org" } }
            expectPage(try await fixture.logIn())
        }
    }

    @Test func `A disabled account is refused by identity and by address`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let user = try await fixture.app.makeUser("ada")
            try await fixture.app.stores.update(id: user.id, UserUpdate(isDisabled: true))
            expectPage(try await fixture.logIn(), 403, saying: "has been disabled")
            #expect(try await fixture.app.stores.read { try $0.identities(of: user.id) }.isEmpty)
            try await fixture.app.stores.update(id: user.id, UserUpdate(isDisabled: false))
            expectPage(try await fixture.logIn())
            try await fixture.app.stores.update(id: user.id, UserUpdate(isDisabled: true))
            expectPage(try await fixture.logIn(), 403, saying: "has been disabled")
        }
    }
}
