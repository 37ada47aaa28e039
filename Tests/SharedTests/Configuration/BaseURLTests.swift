import Domain
import Ports
import Services
import Testing

/// Settings that are the address of a server. One with a path that nobody expects is rejected at start, because otherwise
/// each request fails.
@Suite struct BaseURLTests {
    private static let origins = [
        "MAILGUN_BASE_URL", "FCM_BASE_URL", "APNS_BASE_URL", "S3_ENDPOINT", "S3_PUBLIC_ENDPOINT",
    ]

    @Test(arguments: origins)
    func `A path is refused where requests have their own, in a sentence that says what to do`(key: String) throws {
        for value in ["https://api.eu.mailgun.net/v3", "http://127.0.0.1:9000/a/", "https://a.example/%2e"] {
            let error = try #require(throws: SettingsError.self) { try Settings(values: [key: value]) }
            #expect(error.key == key && error.others.isEmpty)
            #expect(
                error.description.hasPrefix("Setting \(key) must be scheme, host and port without a path, like http"))
            #expect(error.description.hasSuffix(": remove the path, since requests add their own."))
            #expect(!error.description.contains(value))
        }
        for value in ["https://api.eu.mailgun.net", "https://api.eu.mailgun.net/", "http://[::1]:9000//"] {
            #expect(throws: Never.self) { try Settings(values: [key: value]) }
        }
    }

    @Test func `Mailgun's region is taken as it is`() throws {
        let mail = try Settings(values: [
            "MAIL_DRIVER": "mailgun", "MAIL_FROM": "a@example.org", "MAILGUN_API_KEY": "key",
            "MAILGUN_DOMAIN": "mg.example.org", "MAILGUN_BASE_URL": "https://api.eu.mailgun.net//",
        ]).mail
        guard case .mailgun(let settings) = mail.driver else {
            Issue.record("not mailgun")
            return
        }
        #expect(settings.baseURL == "https://api.eu.mailgun.net")
    }

    @Test(arguments: origins + ["PUBLIC_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"])
    func `What is no address of a server is refused`(key: String) throws {
        for value in [
            "host.example", "ftp://host.example", "https:///x", "https://user:hush@host.example",
            "https://host.example?x=1", "https://host.example#x", "https://host.example:65536", "https://a b.example",
            "https://host.example:port", "https://host.example /",
        ] {
            let error = try #require(throws: SettingsError.self, "\(value)") { try Settings(values: [key: value]) }
            #expect(error.key == key && error.others.isEmpty)
            #expect(!error.description.contains("hush") && !error.description.contains(value))
        }
    }

    @Test(arguments: ["/v1/traces", "/v1/metrics", "/v1/logs/", "/otlp/v1/traces"])
    func `A collector's address ends before what requests add`(path: String) throws {
        let key = "OTEL_EXPORTER_OTLP_ENDPOINT"
        let error = try #require(throws: SettingsError.self) {
            try Settings(values: [key: "https://collector.example\(path)"])
        }
        #expect(error.key == key)
        #expect(error.description.contains("without /v1/") && error.description.contains("requests add it"))
        let settings = try #require(try Settings(values: [key: "https://collector.example/otlp/"]).telemetry)
        #expect(settings.endpoint == "https://collector.example/otlp")
    }

    @Test func `A provider's address ends before its discovery document`() throws {
        let error = try #require(throws: SettingsError.self) {
            try Settings(values: [
                "OIDC_PROVIDERS": "company", "OIDC_COMPANY_CLIENT_ID": "a", "OIDC_COMPANY_CLIENT_SECRET": "b",
                "OIDC_COMPANY_ISSUER": "https://id.example.org/realms/main/.well-known/openid-configuration",
            ])
        }
        #expect(
            error.description
                == "Setting OIDC_COMPANY_ISSUER must be the provider's address without "
                + "/.well-known/openid-configuration: requests add it.")
    }

    @Test func `Amazon's host is taken without the bucket`() throws {
        let values = [
            "OBJECT_STORE": "s3", "S3_BUCKET": "pictures", "S3_REGION": "eu-central-1", "S3_ACCESS_KEY_ID": "a",
            "S3_SECRET_ACCESS_KEY": "b", "S3_ENDPOINT": "https://pictures.s3.eu-central-1.amazonaws.com",
        ]
        let error = try #require(throws: SettingsError.self) { try Settings(values: values) }
        #expect(
            error.description
                == "Setting S3_ENDPOINT must be the store's host without the bucket, like "
                + "https://s3.eu-central-1.amazonaws.com: requests add it.")
        // Elsewhere a host may have any name.
        let own = ["S3_ENDPOINT": "https://pictures.example.org"]
        #expect(throws: Never.self) { try Settings(values: values.merging(own) { $1 }) }
    }

    @Test(arguments: ["s3://copies", "copies/happiness", "https://copies.example.org"])
    func `A bucket is a name, not an address`(value: String) throws {
        for key in ["S3_BUCKET", "BACKUP_BUCKET"] {
            let error = try #require(throws: SettingsError.self) { try Settings(values: [key: value]) }
            #expect(
                ([error] + error.others).contains { $0.key == key && $0.expectation.contains("without s3:// and path") }
            )
        }
    }
}
