public import AsyncHTTPClient
public import Foundation
public import Logging
import NIOCore
import NIOHTTP1
public import Shared

/// Objects in a bucket of Amazon S3, or of a store that speaks like it: MinIO, Ceph, OpenStack Swift and others.
///
/// The bucket is private: what is put gets no ACL, and people get at an object by a signed link.
public struct S3ObjectStore: ObjectStore {
    /// Bytes of an object that is read. Ours have some tens of kilobytes.
    private static let objectLimit = 8 * 1024 * 1024
    /// Bytes. A list of 1,000 keys as long as they can be has half of it.
    private static let listLimit = 1024 * 1024
    /// Bytes. Errors have some hundred.
    private static let errorLimit = 64 * 1024

    private let exchange: S3Exchange

    /// The bucket and how it is reached.
    var settings: S3Settings { exchange.settings }

    /// - Parameters:
    ///   - client: belongs to the caller, who shuts it down; build it with `clientConfiguration`.
    ///   - clock: what requests are signed with.
    public init(
        settings: S3Settings, client: HTTPClient, clock: WallClock = .system, timing: S3Timing = S3Timing(),
        logger: Logger
    ) {
        exchange = S3Exchange(settings: settings, client: client, clock: clock, timing: timing, logger: logger)
    }

    /// A redirect would be signed for another place. One connection does for many requests; its attempts to connect are
    /// not repeated inside of the client, since a call is repeated as a whole.
    public static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(2)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Sends the object, with its hash.
    public func put(_ object: StoredObject, at key: ObjectKey) async throws {
        // Whoever loads it by a link may keep it for as long as links stay the same, but nobody on the way.
        let headers = [("content-type", object.mediaType), ("cache-control", "private, max-age=3600")]
        let request = S3Request(
            method: "PUT", key: key, headers: headers, body: object.bytes, answerLimit: Self.errorLimit)
        guard try await exchange.send(request) != nil else { throw Self.notAStore }
    }

    /// Loads the object into memory.
    public func get(_ key: ObjectKey) async throws -> StoredObject? {
        let request = S3Request(method: "GET", key: key, answerLimit: Self.objectLimit)
        guard let answer = try await exchange.send(request) else { return nil }
        return StoredObject(
            mediaType: answer.headers.first(name: "Content-Type") ?? "application/octet-stream", bytes: answer.body)
    }

    /// Deletes what is there now; a bucket with versions keeps the old ones.
    public func delete(_ key: ObjectKey) async throws {
        _ = try await exchange.send(S3Request(method: "DELETE", key: key, answerLimit: Self.errorLimit))
    }

    /// Goes through the pages of `ListObjectsV2`.
    public func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectListing] {
        var found: [ObjectListing] = []
        var continuation: String?
        // A page may be shorter than asked for, and may hold keys that are not ours.
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
            let request = S3Request(method: "GET", key: nil, query: query, answerLimit: Self.listLimit)
            guard let answer = try await exchange.send(request), let page = S3Listing(answer.body) else {
                throw Self.notAStore
            }
            found += page.objects
            continuation = page.continuation
        } while continuation != nil && found.count < limit
        return found
    }

    /// A presigned URL of the public endpoint.
    public func link(to key: ObjectKey, from start: Date, lifetime: Duration) -> String? {
        PresignedURL(
            method: "GET", origin: settings.linkOrigin, path: S3Request.path(of: key, in: settings),
            credentials: settings.credentials, region: settings.region, date: start,
            lifetime: Int(lifetime.components.seconds)
        ).text
    }

    /// Lists, puts, gets and deletes a small object.
    public func check() async throws {
        try await ObjectStoreProbe.run(on: self)
    }

    private static let notAStore = ObjectStoreError.misconfigured(
        "What answers at S3_ENDPOINT is no S3 store: its answer is not like theirs")
}
