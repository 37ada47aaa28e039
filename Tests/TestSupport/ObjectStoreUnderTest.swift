import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
package import ObjectStorage
package import Ports

/// The object stores on which flows are tested: `@Test(arguments: ObjectStoreUnderTest.all)`.
package enum ObjectStoreUnderTest: String, Sendable, CaseIterable {
    /// A folder of its own.
    case file
    /// A new bucket on the server shared by all tests of the process.
    case s3

    /// Every object store of the product, or those that `TEST_STORES` names (`StoreUnderTest.all`).
    package static let all = StoreUnderTest.chosen(among: allCases)

    /// For tests that are not about deadlines: all of them share one store, and the processors.
    package static let patient = S3Timing(deadline: .seconds(120), attemptDeadline: .seconds(60))

    /// A store in a folder, for tests that wrap it.
    package static func folder(_ path: String) -> some ObjectStore {
        FileObjectStore(folder: path)
    }

    /// Runs `body` with an empty store.
    package func withStore<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (any ObjectStore) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .file:
            return try await TemporaryDirectory.with { directory in
                try await body(FileObjectStore(folder: directory.path("objects")))
            }
        case .s3:
            let server = try await ObjectStoreServer.shared
            return try await server.withBucket { bucket in
                try await body(Self.store(server.settings(bucket: bucket), timing: Self.patient))
            }
        }
    }

    /// Runs `body` with an empty bucket of that server behind a proxy that can break connections.
    package static func withFaultyBucket(
        timing: S3Timing, isolation: isolated (any Actor)? = #isolation,
        _ body: (FaultProxy, any ObjectStore) async throws -> Void
    ) async throws {
        try await ObjectStoreServer.shared.withFaultyBucket { proxy, settings in
            try await body(proxy, store(settings, timing: timing))
        }
    }

    private static func store(_ settings: S3Settings, timing: S3Timing) -> S3ObjectStore {
        S3ObjectStore(
            settings: settings, client: .shared, timing: timing,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Loads a store's own link, like a browser.
    package static func load(_ link: String) async throws -> (status: Int, mediaType: String?, bytes: [UInt8]) {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: link), timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 8 * 1024 * 1024)
        return (Int(response.status.code), response.headers.first(name: "content-type"), Array(body.readableBytesView))
    }
}
