import Domain
import Testing

@testable import Services

/// The settings of OpenID providers, and how they assign roles.
@Suite struct OpenIDSettingsTests {
    private static let whole = [
        "OIDC_PROVIDERS": "company, google2", "OIDC_COMPANY_ISSUER": "https://id.example.org/",
        "OIDC_COMPANY_CLIENT_ID": "a", "OIDC_COMPANY_CLIENT_SECRET": "hunter2",
        "OIDC_GOOGLE2_ISSUER": "http://localhost:9400", "OIDC_GOOGLE2_CLIENT_ID": "b",
        "OIDC_GOOGLE2_CLIENT_SECRET": "c", "OIDC_GOOGLE2_NAME": "Google", "OIDC_GOOGLE2_SCOPES": "openid groups",
    ]

    @Test func `Every provider has its own settings`() throws {
        let providers = try Settings(values: Self.whole).openID.providers
        #expect(providers.map(\.id) == ["company", "google2"])
        #expect(providers.map(\.name) == ["Company", "Google"])
        #expect(providers.map(\.issuer) == ["https://id.example.org/", "http://localhost:9400"])
        #expect(providers.map(\.scopes) == [["openid", "email", "profile"], ["openid", "groups"]])
        #expect(providers.allSatisfy { $0.creation == .no && $0.roleClaim == nil })
        #expect(!String(reflecting: providers).contains("hunter2"))
        #expect(try Settings(values: [:]).openID.providers.isEmpty)
    }

    @Test(arguments: [
        ("OIDC_PROVIDERS", "Company"), ("OIDC_PROVIDERS", "a_b"), ("OIDC_PROVIDERS", "a/b"),
        ("OIDC_PROVIDERS", "company,company"), ("OIDC_COMPANY_ISSUER", ""),
        ("OIDC_COMPANY_ISSUER", "http://id.example.org"),
        ("OIDC_COMPANY_ISSUER", "https://id.example.org?x"), ("OIDC_COMPANY_ISSUER", "id.example.org"),
        ("OIDC_COMPANY_CLIENT_ID", ""), ("OIDC_COMPANY_CLIENT_SECRET", ""), ("OIDC_COMPANY_SCOPES", "email"),
        ("OIDC_COMPANY_CREATE", "admin"), ("OIDC_COMPANY_CREATE", "yes"), ("OIDC_COMPANY_DOMAINS", "example"),
        ("OIDC_COMPANY_DOMAINS", "example.org:admin"), ("OIDC_COMPANY_DOMAINS", "example.org:"),
        ("OIDC_COMPANY_DOMAINS", "example.org,EXAMPLE.org"), ("OIDC_COMPANY_DOMAINS", ":guest"),
        ("OIDC_COMPANY_EMAIL_CLAIM", ","), ("OIDC_COMPANY_TRUST_EMAIL", "true"),
    ])
    func `An invalid value is refused by key`(key: String, value: String) throws {
        let error = try #require(throws: SettingsError.self) {
            try Settings(values: Self.whole.merging([key: value]) { $1 })
        }
        #expect(error.key == key)
    }

    @Test func `Values without a claim are refused`() throws {
        let error = try #require(throws: SettingsError.self) {
            try Settings(values: Self.whole.merging(["OIDC_COMPANY_ADMIN_VALUES": "boss"]) { $1 })
        }
        #expect(error.key == "OIDC_COMPANY_ROLE_CLAIM")
    }

    @Test func `A provider is trusted with addresses of named domains only, and with a warning`() throws {
        func settings(_ own: [String: String]) throws -> OpenIDSettings {
            try Settings(values: Self.whole.merging(own) { $1 }).openID
        }
        let trust = ["OIDC_COMPANY_TRUST_EMAIL": "yes", "OIDC_COMPANY_DOMAINS": "example.org"]
        let trusted = try settings(trust.merging(["OIDC_COMPANY_EMAIL_CLAIM": "email, upn"]) { $1 })
        #expect(trusted.providers.map(\.trustsEmail) == [true, false])
        #expect(trusted.providers.map(\.emailClaims) == [["email", "upn"], ["email"]])
        #expect(trusted.warnings.count == 1 && trusted.warnings[0].hasPrefix("OIDC_COMPANY_TRUST_EMAIL is yes: "))
        #expect(try settings([:]).warnings.isEmpty)

        let entraForAnybody = "https://login.microsoftonline.com/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0"
        let refused: [(String, [String: String])] = [
            ("OIDC_COMPANY_DOMAINS", trust.filter { $0.key != "OIDC_COMPANY_DOMAINS" }),
            ("OIDC_COMPANY_TRUST_EMAIL", ["OIDC_COMPANY_EMAIL_CLAIM": "email,upn"]),
            ("OIDC_COMPANY_TRUST_EMAIL", trust.merging(["OIDC_COMPANY_ISSUER": "https://accounts.google.com"]) { $1 }),
            ("OIDC_COMPANY_TRUST_EMAIL", trust.merging(["OIDC_COMPANY_ISSUER": entraForAnybody]) { $1 }),
        ]
        for (key, own) in refused {
            let error = try #require(throws: SettingsError.self) { try settings(own) }
            #expect(error.key == key && error.others.isEmpty)
        }
    }

    @Test func `Secrets of every provider are recognised as such`() {
        #expect(OpenIDSettings.isSecret("OIDC_GOOGLE2_CLIENT_SECRET"))
        #expect(!OpenIDSettings.isSecret("OIDC_GOOGLE2_CLIENT_ID"))
    }
}
