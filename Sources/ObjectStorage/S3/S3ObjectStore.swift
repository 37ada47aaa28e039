package import AsyncHTTPClient
package import Domain
package import Foundation
package import Logging
import NIOCore
import NIOHTTP1
package import Ports

/// Stores objects in a bucket of Amazon S3 or a compatible store: MinIO, Ceph, OpenStack Swift and others.
///
/// The bucket is private: objects get no ACL, and clients access them by signed links.
package struct S3ObjectStore: ObjectStore {
    /// Maximum size of an object to read, in bytes. Ours have tens of kilobytes.
    private static let objectLimit = 8 * 1024 * 1024
    /// Bytes. A list of 1,000 keys of maximum length is half as large.
    private static let listLimit = 1024 * 1024
    /// Bytes. Error documents have a few hundred.
    private static let errorLimit = 64 * 1024

    private let exchange: S3Exchange

    /// The bucket and its endpoint.
    var settings: S3Settings { exchange.settings }

    /// - Parameters:
    ///   - client: shut down by the caller; create it with `clientConfiguration`.
    ///   - clock: used to sign requests.
    package init(
        settings: S3Settings, client: HTTPClient, clock: WallClock = .system, timing: S3Timing = S3Timing(),
        logger: Logger
    ) {
        exchange = S3Exchange(settings: settings, client: client, clock: clock, timing: timing, logger: logger)
    }

    /// No redirects: they would need another signature. Connections are reused. The client does not retry connecting,
    /// since the whole call is retried.
    package static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(2)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Sends the object with its hash.
    package func put(_ object: StoredObject, at key: ObjectKey) async throws {
        // Clients that load it by a link may cache it while the link stays the same; proxies may not.
        let headers = [("content-type", object.mediaType), ("cache-control", "private, max-age=3600")]
        let request = S3Request(
            method: "PUT", key: key, headers: headers, body: object.bytes, responseLimit: Self.errorLimit)
        guard try await exchange.send(request) != nil else { throw Self.notAStore }
    }

    /// Loads the object into memory; `nil` if it does not exist.
    package func get(_ key: ObjectKey) async throws -> StoredObject? {
        let request = S3Request(method: "GET", key: key, responseLimit: Self.objectLimit)
        guard let response = try await exchange.send(request) else { return nil }
        return StoredObject(
            mediaType: response.headers.first(name: "Content-Type") ?? "application/octet-stream", bytes: response.body)
    }

    /// Deletes the current version; a versioned bucket keeps older ones.
    package func delete(_ key: ObjectKey) async throws {
        _ = try await exchange.send(S3Request(method: "DELETE", key: key, responseLimit: Self.errorLimit))
    }

    /// Reads the pages of `ListObjectsV2`.
    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing] {
        var found: [ObjectListing] = []
        var continuation: String?
        // A page may be shorter than requested, and may contain keys that are not ours.
        repeat {
            var query = [
                (name: "list-type", value: "2"), (name: "encoding-type", value: "url"), (name: "prefix", value: prefix),
                (name: "max-keys", value: String(limit - found.count)),
            ]
            if let continuation {
                query.append((name: "continuation-token", value: continuation))
            } else if let after {
                query.append((name: "start-after", value: after.text))
            }
            let request = S3Request(method: "GET", key: nil, query: query, responseLimit: Self.listLimit)
            guard let response = try await exchange.send(request), let page = S3Listing(response.body) else {
                throw Self.notAStore
            }
            found += page.objects
            continuation = page.continuation
        } while continuation != nil && found.count < limit
        return found
    }

    /// A presigned URL at the public endpoint.
    package func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String? {
        PresignedURL(
            method: "GET", origin: settings.linkOrigin, path: S3Request.path(of: key, in: settings),
            credentials: settings.credentials, region: settings.region, date: start,
            lifetime: Int(lifetime.components.seconds)
        ).text
    }

    /// Lists, puts, gets and deletes a small object.
    package func check() async throws { try await ObjectStoreProbe.run(on: self) }

    private static let notAStore = ObjectStoreError.misconfigured(
        "S3_ENDPOINT does not look like an S3 service: its response is not one of S3")
}
