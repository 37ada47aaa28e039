import Foundation
import OpenIDConnect
import TestSupport
import Testing

/// Invalid ID tokens, each from a provider that is otherwise correct.
@Suite struct IDTokenTests {
    @Test func `A valid token says who the user is`() async throws {
        try await ClientFixture.with { fixture in
            let claims = try await fixture.logIn()
            #expect(claims.issuer == fixture.provider.issuer)
            #expect(claims.subject == "s-1")
            #expect(claims.email == "ada@example.org")
            #expect(claims.isEmailVerified)
            #expect(claims.preferredUsername == "ada")
            #expect(claims.texts(of: "groups") == ["staff", "mathematics"])
            #expect(claims.texts(of: "realm_access.roles") == ["owner"])
            #expect(claims.texts(of: "realm_access.other").isEmpty)
            #expect(claims.texts(of: "email.domain").isEmpty)
            #expect(claims.texts(of: "email_verified").isEmpty)
        }
    }

    @Test func `A claim whose whole name has dots comes before a path`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change { $0.edit = { $0["https://example.org/roles"] = ["one"] } }
            let claims = try await fixture.logIn()
            #expect(claims.texts(of: "https://example.org/roles") == ["one"])
        }
    }

    @Test func `ES256 is accepted as well`() async throws {
        try await ClientFixture.with { fixture in
            let key = OpenIDSimulatorKey.p256("curve")
            fixture.provider.change {
                $0.signature = .key(key)
                $0.published = [fixture.provider.key, key]
            }
            try await fixture.expectLogin()
        }
    }

    @Test func `A token without a signature is refused`() async throws {
        try await ClientFixture.with { fixture in
            await fixture.expectFault(.algorithm) { $0.signature = .none }
        }
    }

    @Test func `A token signed with the public key as shared secret is refused`() async throws {
        try await ClientFixture.with { fixture in
            await fixture.expectFault(.algorithm) { $0.signature = .publicKeyAsSecret(fixture.provider.key) }
        }
    }

    @Test func `A token from another key under a known name is refused`() async throws {
        try await ClientFixture.with { fixture in
            let forged = try OpenIDSimulatorKey.rsa(fixture.provider.key.id)
            await fixture.expectFault(.signature) { $0.signature = .key(forged) }
        }
    }

    @Test func `A key for another algorithm is not used`() async throws {
        try await ClientFixture.with { fixture in
            var key = fixture.provider.key
            key.statedAlgorithm = "PS256"
            let stated = key
            await fixture.expectFault(.unknownKey) { $0.published = [stated] }
        }
    }

    @Test func `A short key is not used`() async throws {
        try await ClientFixture.with { fixture in
            let short = try OpenIDSimulatorKey.rsa("short", bits: 1_024)
            await fixture.expectFault(.unknownKey) {
                $0.signature = .key(short)
                $0.published = [short]
            }
        }
    }

    @Test func `A token that names no key is valid only while there is a single key`() async throws {
        try await ClientFixture.with { fixture in
            let first = fixture.provider.key
            fixture.provider.change { $0.signature = .key(first, isNamed: false) }
            try await fixture.expectLogin()
            let second = try OpenIDSimulatorKey.rsa("second")
            fixture.clock.advance(by: 3_601)
            await fixture.expectFault(.unknownKey) { $0.published = [first, second] }
        }
    }

    /// A claim, its value, and the check that must fail.
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: TokenFault
        let testDescription: String
        let edit: @Sendable (inout [String: Any]) -> Void

        init(_ fault: TokenFault, _ name: String, _ edit: @escaping @Sendable (inout [String: Any]) -> Void) {
            self.fault = fault
            testDescription = name
            self.edit = edit
        }
    }

    private static let now = 1_800_000_000

    static let cases = [
        Case(.issuer, "another issuer") { $0["iss"] = "https://accounts.example.com" },
        Case(.issuer, "no issuer") { $0["iss"] = nil },
        Case(.issuer, "an issuer with a slash more") { $0["iss"] = "\($0["iss"] ?? "")/" },
        Case(.audience, "another audience") { $0["aud"] = "somebody else" },
        Case(.audience, "an empty audience") { $0["aud"] = [String]() },
        Case(.audience, "no audience") { $0["aud"] = nil },
        Case(.authorizedParty, "two audiences and no party") { $0["aud"] = [OpenIDSimulator.clientID, "other"] },
        Case(.authorizedParty, "another party") { $0["azp"] = "other" },
        Case(.authorizedParty, "a party that is a number") { $0["azp"] = 1 },
        Case(.expired, "expired") { $0["exp"] = now - 60 },
        Case(.malformed, "never expiring") { $0["exp"] = nil },
        Case(.malformed, "expiring as text") { $0["exp"] = "\(now + 100)" },
        Case(.issuedAt, "made in the future") { $0["iat"] = now + 61 },
        Case(.issuedAt, "made long ago") { $0["iat"] = now - 700 },
        Case(.malformed, "made at no time") { $0["iat"] = nil },
        Case(.nonce, "another nonce") { $0["nonce"] = "other" },
        Case(.nonce, "no nonce") { $0["nonce"] = nil },
        Case(.malformed, "no subject") { $0["sub"] = nil },
        Case(.malformed, "an empty subject") { $0["sub"] = "" },
        Case(.malformed, "a long subject") { $0["sub"] = String(repeating: "s", count: 256) },
    ]

    @Test(arguments: cases) func `A token with a wrong claim is refused`(wrong: Case) async throws {
        try await ClientFixture.with { fixture in
            await fixture.expectFault(wrong.fault) { $0.edit = wrong.edit }
        }
    }

    @Test func `Clocks may differ by a minute`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.edit = {
                    $0["exp"] = Self.now - 59
                    $0["iat"] = Self.now + 59
                }
            }
            try await fixture.expectLogin()
        }
    }

    @Test func `Several audiences are accepted if we are the authorised party`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.edit = {
                    $0["aud"] = ["other", OpenIDSimulator.clientID]
                    $0["azp"] = OpenIDSimulator.clientID
                }
            }
            try await fixture.expectLogin()
        }
    }

    @Test func `A token for another log-in is refused`() async throws {
        try await ClientFixture.with { fixture in
            // An attacker replaces the token by their own: everything is valid except the nonce.
            fixture.provider.change { $0.edit = { $0["nonce"] = AuthorizationRequest().nonce } }
            await #expect(throws: OpenIDError.tokenRefused(.nonce)) { _ = try await fixture.logIn() }
        }
    }

    @Test(arguments: ["", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30=", "e30.e30.e30.e30"])
    func `A text that is no token is refused`(text: String) async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.faults["/token"] = .response(200, #"{"access_token":"a","id_token":"\#(text)"}"#)
            }
            await #expect(throws: OpenIDError.tokenRefused(.malformed)) { _ = try await fixture.logIn() }
        }
    }
}
