import Domain
import Foundation
import Ports
import Services
import Testing

@testable import ObjectStorage

/// Settings of the object store.
@Suite struct ObjectSettingsTests {
    private static let needed = [
        "OBJECT_STORE": "s3", "S3_BUCKET": "pictures", "S3_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "S3_SECRET_ACCESS_KEY": "secret",
    ]

    private static func s3(_ values: [String: String] = [:]) throws -> S3Settings {
        guard case .s3(let settings) = try Settings(values: needed.merging(values) { $1 }).objects.driver else {
            throw CocoaError(.featureUnsupported)
        }
        return settings
    }

    @Test func `Objects are files in the data folder unless configured otherwise`() throws {
        let settings = try Settings(values: ["DATA_DIR": "/var/lib/happiness"]).objects
        guard case .file(let folder) = settings.driver else {
            Issue.record("\(settings)")
            return
        }
        #expect(folder == "/var/lib/happiness/objects")
        #expect(settings.linkOrigin == nil)
    }

    @Test(arguments: [
        ([:], "https://pictures.s3.us-east-1.amazonaws.com"),
        (["S3_REGION": "eu-central-1"], "https://pictures.s3.eu-central-1.amazonaws.com"),
        (["S3_REGION": "cn-north-1"], "https://pictures.s3.cn-north-1.amazonaws.com.cn"),
        (["S3_ENDPOINT": "https://s3.eu-west-1.amazonaws.com"], "https://pictures.s3.eu-west-1.amazonaws.com"),
        (["S3_ADDRESSING": "path"], "https://s3.us-east-1.amazonaws.com"),
        // The certificate covers only one label below the host.
        (["S3_BUCKET": "my.pictures"], "https://s3.us-east-1.amazonaws.com"),
        (["S3_ENDPOINT": "http://MinIO:9000/"], "http://minio:9000"),
        (["S3_ENDPOINT": "https://minio.example.org:443"], "https://minio.example.org"),
        (["S3_ENDPOINT": "http://[::1]:9000"], "http://[::1]:9000"),
        (["S3_ENDPOINT": "https://o.example.org", "S3_ADDRESSING": "host"], "https://pictures.o.example.org"),
        (
            ["S3_ENDPOINT": "http://minio:9000", "S3_PUBLIC_ENDPOINT": "https://files.example.org"],
            "https://files.example.org"
        ),
    ])
    func `Links point to the bucket's origin`(values: [String: String], origin: String) throws {
        #expect(try Self.s3(values).linkOrigin == origin)
        #expect(try Settings(values: Self.needed.merging(values) { $1 }).objects.linkOrigin == origin)
    }

    @Test(arguments: [
        ("OBJECT_STORE", "ftp"), ("S3_BUCKET", ""), ("S3_BUCKET", "a"), ("S3_BUCKET", "a/b"), ("S3_REGION", "a b"),
        ("S3_ACCESS_KEY_ID", ""), ("S3_ACCESS_KEY_ID", "a/b"), ("S3_SECRET_ACCESS_KEY", ""),
        ("S3_SESSION_TOKEN", "a b"), ("S3_ENDPOINT", "minio:9000"), ("S3_ENDPOINT", "http://minio/s3"),
        ("S3_ENDPOINT", "http://user@minio"), ("S3_PUBLIC_ENDPOINT", "files"), ("S3_ADDRESSING", "subdomain"),
    ])
    func `A mistake is reported by its key`(key: String, value: String) throws {
        let error = #expect(throws: SettingsError.self) { try Self.s3([key: value]) }
        #expect(error?.key == key)
    }

    @Test func `A bucket whose name is no host name cannot be in a host`() {
        let error = #expect(throws: SettingsError.self) {
            try Self.s3(["S3_BUCKET": "My_Pictures", "S3_ADDRESSING": "host"])
        }
        #expect(error?.key == "S3_ADDRESSING")
    }

    @Test func `Secrets are not printed`() throws {
        let settings = try Self.s3(["S3_SESSION_TOKEN": "session"])
        #expect(settings.credentials.sessionToken?.value == "session")
        #expect(!"\(settings)".contains("secret\""))
        #expect(!"\(settings)".contains("session\""))
    }

    @Test func `The settings create the store they name`() async throws {
        try await ObjectStoreFixtures.withClient { client in
            let file = try Settings(values: [:]).objects
            #expect(file.makeStore(client: client, logger: ObjectStoreFixtures.logger) is FileObjectStore)
            let bucket = try Settings(values: Self.needed).objects
            #expect(bucket.makeStore(client: client, logger: ObjectStoreFixtures.logger) is S3ObjectStore)
        }
    }
}
