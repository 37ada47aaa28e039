import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI
@testable import Services

/// Which account a user gets.
@Suite struct SingleSignOnAccountTests {
    @Test func `An account with the verified address is linked, and then known by any address`() async throws {
        try await SingleSignOnFixture.with(settings: ["OIDC_COMPANY_CREATE": "no"]) { fixture in
            expectPage(try await fixture.logIn(), 403, saying: "no account")
            let user = try await fixture.app.makeUser("ada")
            expectPage(try await fixture.logIn(), saying: "ada")
            fixture.provider.change { $0.edit = { $0["email"] = "countess@example.org" } }
            expectPage(try await fixture.logIn(), saying: "ada")
            #expect(try await fixture.app.stores.user(user.id)?.email == "countess@example.org")
            #expect(try await fixture.app.mails(.emailChanged).count == 1)
            let identities = try await fixture.app.stores.read { try $0.identities(of: user.id) }
            #expect(identities.map(\.subject) == ["s-1"])
            #expect(try await fixture.app.logIn("ada", TestApp.password) == 200)
        }
    }

    @Test func `The owner of a linked account is told once, by mail`() async throws {
        try await SingleSignOnFixture.with(settings: ["OIDC_COMPANY_NAME": "Our company"]) { fixture in
            let user = try await fixture.app.makeUser("ada")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await fixture.logIn().status.code } }
                for try await status in group { #expect(status == 200) }
            }
            expectPage(try await fixture.logIn(), saying: "ada")
            #expect(
                try await fixture.app.mails(.identityLinked)
                    == [#"{"provider":"Our company","userID":"\#(user.id)"}"#])
        }
        // The user learns how to log in to the new account.
        try await SingleSignOnFixture.with { fixture in
            expectPage(try await fixture.logIn())
            #expect(try await fixture.app.mails(.identityLinked).isEmpty)
        }
    }

    @Test func `A name that is taken gets a number`() async throws {
        try await SingleSignOnFixture.with { fixture in
            let other = User(name: try UserName("ADA"), email: try EmailAddress("else@example.org"))
            try await fixture.app.stores.insert(other)
            expectPage(try await fixture.logIn(), saying: "ada-2")
            expectPage(try await fixture.logIn(), saying: "ada-2")
            #expect(try await fixture.app.stores.users(after: nil, limit: 10).count == 2)
        }
    }

    @Test func `Many log-ins of one person at once create one account`() async throws {
        try await SingleSignOnFixture.with { fixture in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.logIn().status.code } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await fixture.app.stores.users(after: nil, limit: 10).count == 1)
        }
    }

    @Test func `Invalid names are adapted`() async throws {
        func name(_ preferred: String?, _ name: String?) throws -> String? {
            let identity = ProvidedIdentity(
                issuer: "i", subject: "s", email: nil, isEmailVerified: true, preferredUsername: preferred, name: name)
            return SingleSignOnService.names(for: identity, email: try EmailAddress("local@example.org")).first?.text
        }
        #expect(try name("ada", "Ada Lovelace") == "ada")
        #expect(try name("ada@example.org", nil) == "ada")
        #expect(try name("@", "Ada Lovelace") == "Ada Lovelace")
        #expect(try name("a\u{202E}b", nil) == "local")
        #expect(try name(nil, String(repeating: "n", count: 300))?.count == 55)
    }

    @Test func `Groups grant and revoke the admin role, except from the last admin`() async throws {
        let settings = [
            "OIDC_COMPANY_ROLE_CLAIM": "realm_access.roles", "OIDC_COMPANY_ADMIN_VALUES": "boss, owner",
            "OIDC_COMPANY_MEMBER_VALUES": "staff", "OIDC_COMPANY_CREATE": "guest",
        ]
        try await SingleSignOnFixture.with(settings: settings) { fixture in
            func roles(_ values: [String]) async throws -> User.Role? {
                fixture.provider.change { $0.edit = { $0["realm_access"] = ["roles": values] } }
                expectPage(try await fixture.logIn())
                return try await fixture.app.stores.user(login: "ada")?.role
            }
            #expect(try await roles(["other"]) == .guest)
            #expect(try await roles(["staff"]) == .member)
            #expect(try await roles(["staff", "owner"]) == .admin)
            #expect(try await roles(["staff"]) == .admin, "the only one")
            _ = try await fixture.app.makeUser("second", role: .admin)
            #expect(try await roles([]) == .member)
            #expect(try await roles(["owner"]) == .admin)
        }
    }

    @Test func `A domain gives new accounts their role`() async throws {
        let settings = ["OIDC_COMPANY_DOMAINS": "example.org:guest,example.com", "OIDC_COMPANY_CREATE": "member"]
        try await SingleSignOnFixture.with(settings: settings) { fixture in
            expectPage(try await fixture.logIn())
            #expect(try await fixture.app.stores.user(login: "ada@example.org")?.role == .guest)
            fixture.provider.change {
                $0.edit = {
                    $0["email"] = "bob@example.com"
                    $0["sub"] = "s-2"
                }
            }
            expectPage(try await fixture.logIn())
            #expect(try await fixture.app.stores.user(login: "bob@example.com")?.role == .member)
        }
    }
}
