import Domain
import Foundation
import Ports
import Services
import Storage
import Testing

/// Settings are read once; error messages name the key and never the value.
@Suite struct SettingsTests {
    @Test func `Without settings, everything has a default`() throws {
        let settings = try Settings(values: [:])
        #expect(settings.store == .sqlite(path: "data/happiness.sqlite"))
        #expect(settings.server.host == "127.0.0.1")
        #expect(settings.server.port == 8080)
        #expect(settings.server.publicURL == "http://localhost:8080")
        #expect(settings.accounts.bcryptCost == 12)
    }

    @Test func `The data folder contains the store unless it is named`() throws {
        #expect(try Settings(values: ["DATA_DIR": "/srv/h"]).store == .sqlite(path: "/srv/h/happiness.sqlite"))
        let named = try Settings(values: ["DATA_DIR": "/srv/h", "DATABASE_URL": "sqlite:/tmp/a.sqlite"])
        #expect(named.store == .sqlite(path: "/tmp/a.sqlite"))
    }

    @Test func `An empty value means the default`() throws {
        #expect(try Settings(values: ["PORT": "", "DATABASE_URL": ""]).server.port == 8080)
    }

    @Test func `The public URL loses its last slash`() throws {
        #expect(try Settings(values: ["PUBLIC_URL": "https://a.example/"]).server.publicURL == "https://a.example")
        let below = try Settings(values: ["PUBLIC_URL": "https://a.example/team-mood/v2/"])
        #expect(below.server.publicURL == "https://a.example/team-mood/v2")
    }

    @Test func `A path as host is a Unix socket, behind a proxy only`() throws {
        let needed = ["PUBLIC_URL": "https://a.example", "TRUSTED_PROXIES": "1"]
        func listening(_ host: String, without key: String = "") throws -> ServerSettings {
            try Settings(values: needed.filter { $0.key != key }.merging(["HOST": host]) { $1 }).server
        }
        let server = try listening("/run/h/api.sock")
        #expect(server.socketPath == "/run/h/api.sock" && server.metricsHost == "127.0.0.1")
        #expect(try Settings(values: ["HOST": "::1"]).server.socketPath == nil)
        for key in needed.keys {
            let error = #expect(throws: SettingsError.self) { try listening("/run/h/api.sock", without: key) }
            #expect(error?.key == key)
        }
    }

    @Test func `The setting of a relay is refused, in a sentence that says what to do`() throws {
        let error = #expect(throws: SettingsError.self) {
            try Settings(values: ["BALLOT_RELAY_URL": "https://relay.example"])
        }
        #expect(
            error?.description
                == "Setting BALLOT_RELAY_URL must be removed: ballots no longer go through a relay, so tell those whom "
                + "you promised one (docs/decisions/0041-ballots-go-straight-to-the-server.md).")
        #expect(try SettingsFile(Data("BALLOT_RELAY_URL=https://relay.example".utf8)).notices.isEmpty)
        #expect(throws: Never.self) { try Settings(values: ["BALLOT_RELAY_URL": ""]) }
    }

    @Test func `A store without a path is refused`() {
        let error = #expect(throws: SettingsError.self) { try Settings(values: ["DATABASE_URL": "sqlite:"]) }
        #expect(error?.key == "DATABASE_URL")
    }

    @Test(arguments: [
        ("PORT", "65536"), ("PORT", "-1"), ("PORT", "80 80"), ("PORT", "0x50"), ("METRICS_PORT", "many"),
        ("WORKER_METRICS_PORT", "1e3"), ("BCRYPT_COST", "3"), ("BCRYPT_COST", "17"), ("BCRYPT_THREADS", "0"),
        ("CLASSIC_TOKEN_DAYS", "367"), ("TRUSTED_PROXIES", "9"), ("LOG_LEVEL", "loud"), ("DATABASE_URL", "postgres:x"),
        ("DATABASE_URL", "mysql://root:hunter2@db/x"), ("PUBLIC_URL", "ftp://a.example"),
        ("PUBLIC_URL", "a.example"), ("PUBLIC_URL", "https://a.example?x=1"),
        ("PUBLIC_URL", "https://a.example/a/../b"), ("PUBLIC_URL", "https://a.example//b"),
        ("PUBLIC_URL", "https://a.example/%62"), ("PUBLIC_URL", "https://a.example/a b"),
    ])
    func `An invalid value is refused by key and never repeated`(key: String, value: String) throws {
        let error = try #require(throws: SettingsError.self) { try Settings(values: [key: value]) }
        #expect(error.key == key)
        #expect(error.description.contains(key))
        #expect(!error.description.contains(value))
    }

    @Test(arguments: ["https://", "http:///x", "https://:8080", "https://a.example:99999", "https://u:p@a.example"])
    func `An address that no browser can use is refused`(url: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(values: ["PUBLIC_URL": url]) }
        #expect(error?.key == "PUBLIC_URL" && error?.others.isEmpty == true)
    }

    @Test func `Two servers cannot have one port`() throws {
        let error = #expect(throws: SettingsError.self) { try Settings(values: ["METRICS_PORT": "8080"]) }
        #expect(error?.description == "Setting METRICS_PORT must be another port than PORT.")
        let proxied = ["HOST": "/run/api.sock", "PUBLIC_URL": "https://a.example", "TRUSTED_PROXIES": "1"]
        #expect(throws: Never.self) { try Settings(values: proxied.merging(["METRICS_PORT": "8080"]) { $1 }) }
    }

    @Test func `All invalid settings are reported at once, each on its line`() throws {
        let error = try #require(throws: SettingsError.self) {
            try Settings(values: [
                "PORT": "many", "PUBLIC_URL": "a.example", "DATABASE_URL": "mongodb://db/x?replicaSet=rs0",
                "JWT_SECRET": "short", "MAIL_DRIVER": "smtp", "PUSH_DRIVERS": "fcm,webpush", "OBJECT_STORE": "s3",
                "OIDC_PROVIDERS": "company", "BACKUP_BUCKET": "copies", "FEEDBACK_DAYS": "-1", "LOG_LEVEL": "loud",
            ])
        }
        let keys = ([error] + error.others).map(\.key)
        #expect(
            keys == [
                "PORT", "PUBLIC_URL", "OIDC_COMPANY_ISSUER", "OIDC_COMPANY_CLIENT_ID", "OIDC_COMPANY_CLIENT_SECRET",
                "MAIL_FROM", "SMTP_URL", "JWT_SECRET", "BALLOT_SECRET", "VAPID_PRIVATE_KEY",
                "FCM_SERVICE_ACCOUNT_FILE", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "BACKUP_DIR",
                "BACKUP_PUBLIC_KEY", "FEEDBACK_DAYS", "LOG_LEVEL",
            ])
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == keys.count)
        #expect(zip(lines, keys).allSatisfy { $0.hasPrefix("Setting \($1) must be ") })
    }

    @Test func `Backups need a bucket of their own, and a key`() throws {
        var values = [
            "BACKUP_DIR": "backups", "BACKUP_PUBLIC_KEY": BackupKey.makePair().publicText, "BACKUP_BUCKET": "copies",
            "S3_ENDPOINT": "https://objects.example.org", "S3_ACCESS_KEY_ID": "key", "S3_SECRET_ACCESS_KEY": "secret",
        ]
        let backups = try #require(try Settings(values: values).backups)
        #expect(backups.bucket?.bucket == "copies" && backups.bucket?.endpoint == "https://objects.example.org")
        for (key, value) in [
            ("BACKUP_PUBLIC_KEY", ""), ("BACKUP_DIR", ""), ("S3_SECRET_ACCESS_KEY", ""), ("BACKUP_BUCKET", "a"),
        ] {
            let error = #expect(throws: SettingsError.self) {
                try Settings(values: values.merging([key: value]) { $1 })
            }
            #expect(error?.key == key && error?.others.isEmpty == true)
        }
        values["S3_BUCKET"] = "copies"
        #expect(throws: SettingsError.self) { try Settings(values: values) }
    }
}
