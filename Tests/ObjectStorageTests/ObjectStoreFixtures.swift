import AsyncHTTPClient
import Foundation
import Logging
import TestSupport

@testable import ObjectStorage
@testable import Shared

/// Stores, clients and objects for tests.
enum ObjectStoreFixtures {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Short waits, few attempts. An attempt has time, since all tests share one store and the processors.
    static let impatient = S3Timing(
        deadline: .seconds(60), attemptDeadline: .seconds(10), attempts: 3, firstWait: .milliseconds(1),
        longestWait: .milliseconds(2))

    /// - Parameter text: a right one.
    static func key(_ text: String) -> ObjectKey { ObjectKey(unchecked: text) }

    static func picture(_ text: String = "picture") -> StoredObject {
        StoredObject(mediaType: "image/webp", bytes: Array(text.utf8))
    }

    /// A client as the programs make it, lent to a closure.
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

    /// A bucket of its own in the shared object store, lent with the settings that reach it.
    static func withBucket(
        quota: Int? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (S3Settings, HTTPClient) async throws -> Void
    ) async throws {
        let server = try await ObjectStoreServer.shared
        try await server.withBucket(quota: quota) { bucket in
            try await withClient { client in try await body(server.settings(bucket: bucket), client) }
        }
    }

    /// A bucket behind a proxy that spoils connections.
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

    /// For all but faults.
    static func store(_ settings: S3Settings, _ client: HTTPClient) -> S3ObjectStore {
        S3ObjectStore(settings: settings, client: client, timing: ObjectStoreUnderTest.patient, logger: logger)
    }

    /// The key is that of Amazon's examples.
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

    /// An answer that closes its connection.
    static func answer(_ status: String, headers: String = "", body: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
    }

    /// An error as S3 tells it.
    static func error(_ code: String, fields: String = "") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>m</Message>\(fields)</Error>"
    }
}
