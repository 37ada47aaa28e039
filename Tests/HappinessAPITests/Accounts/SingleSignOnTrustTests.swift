import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Providers that do not say that an address is verified, or have it elsewhere.
@Suite struct SingleSignOnTrustTests {
    private static let trust = ["OIDC_COMPANY_TRUST_EMAIL": "yes", "OIDC_COMPANY_DOMAINS": "example.org"]

    /// A product, and what docs/operations.md says to set for it.
    struct Case: Sendable, CustomTestStringConvertible {
        let product: OpenIDSimulator.Product
        let settings: [String: String]
        /// The reason without these settings; `nil` if it needs none.
        let refusal: String?

        var testDescription: String { product.rawValue }

        init(_ product: OpenIDSimulator.Product, _ settings: [String: String] = [:], refusal: String? = nil) {
            self.product = product
            self.settings = settings
            self.refusal = refusal
        }
    }

    static let cases = [
        Case(.entra, trust, refusal: "email-not-verified"),
        Case(.entraWithOwner),
        Case(
            .entraWithoutMailbox, trust.merging(["OIDC_COMPANY_EMAIL_CLAIM": "email,preferred_username"]) { $1 },
            refusal: "email-missing"),
        Case(.authentik, trust, refusal: "email-not-verified"),
        Case(.keycloak),
        Case(.google),
        Case(.userInfoOnly),
    ]

    @Test(arguments: cases)
    func `Every product lets people in with the settings of the manual`(each: Case) async throws {
        try await SingleSignOnFixture.with(settings: each.settings) { fixture in
            fixture.provider.imitate(each.product)
            expectPage(try await fixture.logIn(), saying: "You’re logged in")
            #expect(try await fixture.app.stores.user(login: "ada@example.org") != nil)
            guard !each.settings.isEmpty else { return }
            fixture.provider.imitate(each.product, subject: "s-2", email: "ada@evil.example")
            expectPage(try await fixture.logIn(), 403, saying: "this domain")
        }
        guard let refusal = each.refusal else { return }
        try await SingleSignOnFixture.with { fixture in
            fixture.provider.imitate(each.product)
            expectPage(try await fixture.logIn(), 403, saying: "the server’s log says what to do")
            let line = try #require(fixture.app.log.lines.last { $0.contains("Single sign-on failed") })
            #expect(line.hasPrefix("warning: ") && line.contains("oidc.provider=company"))
            #expect(line.contains("reason=\(refusal). ") && line.contains("OIDC_COMPANY_"))
            #expect(!line.contains("@") && line.firstMatch(of: /\bada\b/.ignoresCase()) == nil)
        }
    }

    @Test func `An address in another claim than the email is never called verified`() async throws {
        let settings = Self.trust.merging(["OIDC_COMPANY_EMAIL_CLAIM": "upn,email"]) { $1 }
        try await SingleSignOnFixture.with(settings: settings) { fixture in
            _ = try await fixture.app.makeUser("ada", role: .admin)
            fixture.provider.change { $0.edit = { $0["upn"] = "ada@example.org" } }
            expectPage(try await fixture.logIn(), 403, saying: "hasn’t verified that the address is yours")
        }
    }

    @Test func `A trusted address leads into no administrator's account`() async throws {
        let settings = Self.trust.merging([
            "OIDC_COMPANY_ROLE_CLAIM": "groups", "OIDC_COMPANY_ADMIN_VALUES": "staff",
        ]) { $1 }
        try await SingleSignOnFixture.with(settings: settings) { fixture in
            let admin = try await fixture.app.makeUser("ada", role: .admin)
            fixture.provider.imitate(.entra)
            expectPage(try await fixture.logIn(), 403, saying: "log in with your password")
            #expect(fixture.app.log.text.contains("reason=account-not-linked. The address is not verified"))
            #expect(try await fixture.app.stores.read { try $0.identities(of: admin.id) }.isEmpty)
            #expect(try await fixture.app.mails(.identityLinked).isEmpty)
            // Its groups say that the person is an administrator.
            fixture.provider.imitate(.authentik)
            expectPage(try await fixture.logIn(), saying: "ada")
            #expect(try await fixture.app.mails(.identityLinked).count == 1)
        }
    }

    @Test func `Of two people with one trusted address, the second gets nothing`() async throws {
        try await SingleSignOnFixture.with(settings: Self.trust) { fixture in
            let user = try await fixture.app.makeUser("ada")
            fixture.provider.imitate(.entra)
            expectPage(try await fixture.logIn(), saying: "ada")
            fixture.provider.imitate(.entra, subject: "s-2")
            expectPage(try await fixture.logIn(), 403, saying: "hasn’t verified that the address is yours")
            #expect(try await fixture.app.stores.read { try $0.identities(of: user.id) }.map(\.subject) == ["s-1"])
            // A verified address proves more.
            fixture.provider.imitate(.keycloak, subject: "s-3")
            expectPage(try await fixture.logIn(), saying: "ada")
        }
    }

    @Test func `The log names the provider's error, and nothing that could be about a person`() async throws {
        try await SingleSignOnFixture.with { fixture in
            for (error, logged) in [("invalid_scope", "invalid_scope"), ("ada%40example.org", "unknown")] {
                let visit = try await SingleSignOnVisit(fixture.app)
                let state = try #require(visit.state)
                let query = "error=\(error)&error_description=ada&state=\(state)"
                expectPage(try await visit.comeBack("/login/company/callback?\(query)"), 403)
                #expect(fixture.app.log.text.contains("the provider answered with the error \(logged)"))
            }
            #expect(fixture.app.log.text.firstMatch(of: /\bada\b/.ignoresCase()) == nil)
        }
    }
}
