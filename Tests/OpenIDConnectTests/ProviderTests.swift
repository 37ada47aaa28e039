import AsyncHTTPClient
import Foundation
import Logging
import OpenIDConnect
import TestSupport
import Testing

/// The client and a provider: discovery, keys, codes, user info, and errors in each.
@Suite struct ProviderTests {
    @Test func `The browser is sent with everything that protects the callback`() async throws {
        try await ClientFixture.with { fixture in
            let request = AuthorizationRequest()
            let url = try await fixture.client.authorizationURL(for: request)
            let parts = try #require(URLComponents(string: url))
            let items = Dictionary(uniqueKeysWithValues: (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") })
            #expect(url.hasPrefix("\(fixture.provider.issuer)/authorize?tenant=1&"))
            #expect(items["client_id"] == OpenIDSimulator.clientID)
            #expect(items["redirect_uri"] == ClientFixture.redirectURI)
            #expect(items["scope"] == "openid email")
            #expect(items["state"] == request.state)
            #expect(items["nonce"] == request.nonce)
            #expect(items["code_challenge_method"] == "S256")
            #expect(items["code_challenge"]?.count == 43)
            #expect(!url.contains(request.codeVerifier))
            #expect(!url.contains("secret"))
        }
    }

    @Test func `No two log-ins share a secret`() {
        let requests = (0..<100).map { _ in AuthorizationRequest() }
        #expect(Set(requests.flatMap { [$0.state, $0.nonce, $0.codeVerifier] }).count == 300)
    }

    @Test func `A code is valid once`() async throws {
        try await ClientFixture.with { fixture in
            let request = AuthorizationRequest()
            let code = try await fixture.code(for: request)
            _ = try await fixture.client.claims(code: code, answerIssuer: nil, for: request)
            await #expect(throws: OpenIDError.codeRefused) {
                _ = try await fixture.client.claims(code: code, answerIssuer: nil, for: request)
            }
        }
    }

    @Test func `A stolen code is worth nothing without its verifier`() async throws {
        try await ClientFixture.with { fixture in
            await #expect(throws: OpenIDError.codeRefused) {
                _ = try await fixture.logIn(checking: AuthorizationRequest())
            }
        }
    }

    @Test func `A real provider accepts our proof and no other`() async throws {
        try await OpenIDProviderProcess.with { provider in
            let registered = try await provider.register(redirectURI: ClientFixture.redirectURI)
            try await provider.put("s-9", claims: ["email": "grace@example.org", "email_verified": true])
            let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: OpenIDClient.httpConfiguration)
            let client = OpenIDClient(
                OpenIDClient.Configuration(
                    issuer: provider.issuer, clientID: registered.id, clientSecret: registered.secret,
                    scopes: ["openid", "email"], redirectURI: ClientFixture.redirectURI),
                httpClient: http, now: { Date() }, logger: Logger(label: "test"))
            let request = AuthorizationRequest()
            var codes: [String] = []
            for _ in 0..<2 {
                let back = try await provider.logIn("s-9", at: try await client.authorizationURL(for: request))
                codes += URLComponents(string: back)?.queryItems?.filter { $0.name == "code" }.compactMap(\.value) ?? []
            }
            try #require(codes.count == 2)
            await #expect(throws: OpenIDError.codeRefused) {
                _ = try await client.claims(code: codes[0], answerIssuer: nil, for: AuthorizationRequest())
            }
            let claims = try await client.claims(code: codes[1], answerIssuer: nil, for: request)
            #expect(claims.email == "grace@example.org")
            try await http.shutdown()
        }
    }

    @Test func `The secret goes into the form if the provider accepts it only there`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.editMetadata = { $0["token_endpoint_auth_methods_supported"] = ["client_secret_post"] }
            }
            try await fixture.expectLogin()
        }
    }

    @Test func `An answer from another provider is refused`() async throws {
        try await ClientFixture.with { fixture in
            await #expect(throws: OpenIDError.tokenRefused(.issuer)) {
                _ = try await fixture.logIn(answerIssuer: "https://evil.example")
            }
            #expect(fixture.provider.requests(of: "/token") == 0)
            _ = try await fixture.logIn(answerIssuer: fixture.provider.issuer)
        }
    }

    @Test func `A provider that names itself in answers must do so`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.editMetadata = { $0["authorization_response_iss_parameter_supported"] = true }
            }
            await #expect(throws: OpenIDError.tokenRefused(.issuer)) { _ = try await fixture.logIn() }
        }
    }

    @Test func `An address that is not in the token comes from the user info`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.edit = {
                    $0["email"] = nil
                    $0["groups"] = ["signed"]
                }
            }
            let claims = try await fixture.logIn()
            #expect(claims.email == "ada@example.org")
            #expect(claims.isEmailVerified)
            #expect(claims.texts(of: "groups") == ["signed"])
        }
    }

    @Test func `Whether an address is verified is read where the address is`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                // The token says that the address is verified, but contains none.
                $0.edit = { $0["email"] = nil }
                $0.userInfo = { ["sub": "s-1", "email": "root@example.org"] }
            }
            let claims = try await fixture.logIn()
            #expect(claims.email == "root@example.org")
            #expect(!claims.isEmailVerified)
        }
    }

    @Test(arguments: ["", nil] as [String?])
    func `An address that is empty in the token comes from the user info`(empty: String?) async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.edit = { claims in
                    if let empty { claims["email"] = empty } else { claims["email"] = NSNull() }
                }
            }
            let address = try await fixture.logIn().address(in: ["email"])
            #expect(address?.text == "ada@example.org" && address?.isVerified == true)
        }
    }

    @Test func `The user info is asked unless the token has the preferred claim`() async throws {
        try await ClientFixture.with(emailClaims: ["upn", "email"]) { fixture in
            let upn = "ada@corp.example.org"
            fixture.provider.change { $0.userInfo = { ["sub": "s-1", "upn": upn, "email_verified": true] } }
            let claims = try await fixture.logIn()
            let first = claims.address(in: ["upn", "email"])
            #expect(first?.text == upn && first?.isVerified == false)
            let second = claims.address(in: ["name", "email"])
            #expect(second?.text == "ada@example.org" && second?.isVerified == true)
            #expect(claims.address(in: ["name"]) == nil)
            fixture.provider.change {
                $0.edit = { $0["upn"] = ["ada@signed.example.org"] }
                $0.userInfo = { ["sub": "s-2"] }
            }
            let signed = try await fixture.logIn().address(in: ["upn"])
            #expect(signed?.text == "ada@signed.example.org")
            #expect(fixture.provider.requests(of: "/userinfo") == 1)
        }
    }

    @Test func `Entra ID's claim about the domain's owner counts unless there is another`() async throws {
        try await ClientFixture.with { fixture in
            let cases: [(verified: Bool?, owner: any Sendable, isVerified: Bool)] = [
                (nil, true, true), (nil, 1, true), (nil, "1", true), (nil, "true", true), (nil, false, false),
                (nil, 0, false), (nil, "0", false), (nil, "yes", false), (false, true, false),
            ]
            for (verified, owner, isVerified) in cases {
                fixture.provider.change {
                    $0.edit = {
                        $0["email_verified"] = verified
                        $0["xms_edov"] = owner
                    }
                }
                let isVerifiedAddress = try await fixture.logIn().isEmailVerified
                #expect(isVerifiedAddress == isVerified, "\(owner)")
            }
        }
    }

    @Test func `The user info of someone else is refused`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change {
                $0.edit = { $0["email"] = nil }
                $0.userInfo = { ["sub": "s-2", "email": "root@example.org", "email_verified": true] }
            }
            await #expect(throws: OpenIDError.tokenRefused(.subject)) { _ = try await fixture.logIn() }
        }
    }

    @Test func `A new key is found without waiting`() async throws {
        try await ClientFixture.with { fixture in
            _ = try await fixture.logIn()
            let next = try OpenIDSimulatorKey.rsa("next")
            fixture.provider.change {
                $0.signature = .key(next)
                $0.published = [next]
            }
            try await fixture.expectLogin()
            #expect(fixture.provider.requests(of: "/jwks") == 2)
        }
    }

    @Test func `Unknown keys cause at most one request a minute`() async throws {
        try await ClientFixture.with { fixture in
            _ = try await fixture.logIn()
            let unknown = try OpenIDSimulatorKey.rsa("unknown")
            for _ in 0..<5 { await fixture.expectFault(.unknownKey) { $0.signature = .key(unknown) } }
            #expect(fixture.provider.requests(of: "/jwks") == 2)
            fixture.clock.advance(by: 60)
            await fixture.expectFault(.unknownKey) { _ in }
            #expect(fixture.provider.requests(of: "/jwks") == 3)
            fixture.provider.change { $0.signature = .key(fixture.provider.key) }
            try await fixture.expectLogin()
        }
    }

    @Test func `A withdrawn key is valid for an hour at most`() async throws {
        try await ClientFixture.with { fixture in
            _ = try await fixture.logIn()
            fixture.provider.change { $0.published = [] }
            try await fixture.expectLogin()
            fixture.clock.advance(by: 3_600)
            await fixture.expectFault(.unknownKey) { _ in }
        }
    }

    @Test(arguments: ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"])
    func `A provider that hangs ends by the deadline`(path: String) async throws {
        for fault in [OpenIDSimulator.Fault.hang, .hangAfterHead] {
            try await ClientFixture.with(deadline: .milliseconds(500)) { fixture in
                fixture.provider.change {
                    $0.faults[path] = fault
                    $0.edit = { $0["email"] = nil }
                }
                await #expect(throws: OpenIDError.unavailable("it does not answer in time")) {
                    _ = try await fixture.logIn()
                }
            }
        }
    }

    @Test(arguments: ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"])
    func `A provider that fails is unavailable`(path: String) async throws {
        let tooLong = String(repeating: " ", count: 300_000)
        let faults = [(500, ""), (200, "no JSON"), (200, "[]"), (200, tooLong), (302, "{}"), (401, "<html>")]
        for (status, text) in faults {
            try await ClientFixture.with { fixture in
                fixture.provider.change {
                    $0.faults[path] = .response(status, text)
                    $0.edit = { $0["email"] = nil }
                }
                let error = await #expect(throws: OpenIDError.self) { _ = try await fixture.logIn() }
                guard case .unavailable = error else {
                    Issue.record("\(path) \(status): \(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test func `A provider is asked again after it was unavailable`() async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change { $0.faults["/jwks"] = .response(503, "") }
            await #expect(throws: OpenIDError.self) { _ = try await fixture.logIn() }
            fixture.provider.change { $0.faults = [:] }
            try await fixture.expectLogin()
        }
    }

    @Test(arguments: [
        ("issuer", "https://id.example.org"), ("token_endpoint", "http://id.example.org/token"),
        ("jwks_uri", "file:///etc/passwd"), ("userinfo_endpoint", "http://192.0.2.1/"),
        ("authorization_endpoint", "javascript:alert(1)"),
    ])
    func `A discovery document with a foreign issuer or a plain HTTP address is refused`(
        key: String, value: String
    ) async throws {
        try await ClientFixture.with { fixture in
            fixture.provider.change { $0.editMetadata = { $0[key] = value } }
            let error = await #expect(throws: OpenIDError.self) {
                _ = try await fixture.client.authorizationURL(for: AuthorizationRequest())
            }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `Addresses need TLS unless they are on this machine`() {
        for address in ["https://id.example.org", "http://localhost:9400/x", "http://127.0.0.1", "http://[::1]:80/"] {
            #expect(ProviderAddress.isAllowed(address), "\(address)")
        }
        let refused = [
            "http://id.example.org", "https://user@id.example.org", "https://id.example.org/#a", "ftp://localhost", "",
            "http://localhost.example.org", "http://127.0.0.1.example.org", "https:///path", "//localhost",
        ]
        for address in refused { #expect(!ProviderAddress.isAllowed(address), "\(address)") }
    }
}
