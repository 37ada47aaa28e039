import AsyncHTTPClient
import Foundation
import Logging
import Ports
import TestSupport

@testable import Domain
@testable import ObjectStorage

/// Stores, clients and objects for tests.
enum ObjectStoreFixtures {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Short waits, few attempts. Attempts have enough time, since all tests share one store and the processors.
    static let impatient = S3Timing(
        deadline: .seconds(60), attemptDeadline: .seconds(10), attempts: 3, firstWait: .milliseconds(1),
        longestWait: .milliseconds(2))

    /// - Parameter text: must be valid.
    static func key(_ text: String) -> ObjectKey { ObjectKey(unchecked: text) }

    static func picture(_ text: String = "picture") -> StoredObject {
        StoredObject(mediaType: "image/webp", bytes: Array(text.utf8))
    }

    /// Runs `body` with a client like the programs'.
    static func withClient(
        configuration: HTTPClient.Configuration = S3ObjectStore.clientConfiguration,
        isolation: isolated (any Actor)? = #isolation, _ body: (HTTPClient) async throws -> Void
    ) async throws {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        try result.get()
    }

    /// Runs `body` with settings for a new bucket in the shared object store.
    static func withBucket(
        quota: Int? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (S3Settings, HTTPClient) async throws -> Void
    ) async throws {
        let server = try await ObjectStoreServer.shared
        try await server.withBucket(quota: quota) { bucket in
            try await withClient { client in try await body(server.settings(bucket: bucket), client) }
        }
    }

    /// The same through a proxy that can break connections.
    static func withFaultyBucket(
        timing: S3Timing = impatient, isolation: isolated (any Actor)? = #isolation,
        _ body: (FaultProxy, S3ObjectStore) async throws -> Void
    ) async throws {
        try await ObjectStoreServer.shared.withFaultyBucket { proxy, settings in
            try await withClient { client in
                try await body(
                    proxy, S3ObjectStore(settings: settings, client: client, timing: timing, logger: logger))
            }
        }
    }

    /// For all tests except those about faults.
    static func store(_ settings: S3Settings, _ client: HTTPClient) -> S3ObjectStore {
        S3ObjectStore(settings: settings, client: client, timing: ObjectStoreUnderTest.patient, logger: logger)
    }

    /// The key is the one in Amazon's examples.
    static func settings(
        endpoint: String, addressing: S3Settings.Addressing = .path, token: String? = nil
    ) -> S3Settings {
        S3Settings(
            endpoint: endpoint, region: "us-east-1", bucket: "examplebucket", addressing: addressing,
            credentials: S3Credentials(
                accessKeyID: "AKIAIOSFODNN7EXAMPLE",
                secretAccessKey: SecretText("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
                sessionToken: token.map { SecretText($0) }))
    }

    /// A response that closes its connection.
    static func response(_ status: String, headers: String = "", body: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
    }

    /// An error document of S3.
    static func error(_ code: String, fields: String = "") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>m</Message>\(fields)</Error>"
    }
}
