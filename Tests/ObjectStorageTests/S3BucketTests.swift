import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Ports
import TestSupport
import Testing

@testable import ObjectStorage

/// A bucket in OpenStack Swift: links, permissions, and the messages of a check about wrong settings.
@Suite struct S3BucketTests {
    private typealias Fixtures = ObjectStoreFixtures

    @Test func `A link loads the object without credentials`() async throws {
        try await Fixtures.withBucket { settings, client in
            let store = Fixtures.store(settings, client)
            let key = Fixtures.key("pictures/a/512.webp")
            try await store.put(Fixtures.picture("seen"), at: key)
            let link = try #require(store.link(to: key, from: Date(), lifetime: .seconds(60)))
            let response = try await Self.load(link, client: client)
            #expect(response.status == 200)
            #expect(response.body == "seen")
            #expect(response.headers.first(name: "Content-Type") == "image/webp")
            #expect(response.headers.first(name: "Cache-Control") == "private, max-age=3600")
        }
    }

    @Test func `A link expires`() async throws {
        try await Fixtures.withBucket { settings, client in
            let store = Fixtures.store(settings, client)
            let key = Fixtures.key("a")
            try await store.put(Fixtures.picture(), at: key)
            let ended = try #require(store.link(to: key, from: Date(timeIntervalSinceNow: -70), lifetime: .seconds(60)))
            #expect(try await Self.load(ended, client: client).status == 403)
            let running = try #require(
                store.link(to: key, from: Date(timeIntervalSinceNow: -3_500), lifetime: .seconds(3_600)))
            #expect(try await Self.load(running, client: client).status == 200)
        }
    }

    @Test func `A link is for no other object, method or lifetime`() async throws {
        try await Fixtures.withBucket { settings, client in
            let store = Fixtures.store(settings, client)
            for text in ["pictures/a", "pictures/b"] {
                try await store.put(Fixtures.picture(text), at: Fixtures.key(text))
            }
            let link = try #require(store.link(to: Fixtures.key("pictures/a"), from: Date(), lifetime: .seconds(60)))
            let other = link.replacing("pictures/a?", with: "pictures/b?")
            #expect(try await Self.load(other, client: client).status == 403)
            let longer = link.replacing("X-Amz-Expires=60&", with: "X-Amz-Expires=61&")
            #expect(try await Self.load(longer, client: client).status == 403)
            for method in [HTTPMethod.PUT, .DELETE] {
                #expect(try await Self.load(link, method: method, client: client).status == 403)
            }
            #expect(try await store.get(Fixtures.key("pictures/a")) == Fixtures.picture("pictures/a"))
        }
    }

    @Test func `Nobody loads an object without a link`() async throws {
        try await Fixtures.withBucket { settings, client in
            let store = Fixtures.store(settings, client)
            try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            let url = "\(settings.endpoint)/\(settings.bucket)/a"
            #expect(try await Self.load(url, client: client).status >= 400)
        }
    }

    @Test func `A full bucket is unavailable and still readable`() async throws {
        try await Fixtures.withBucket(quota: 10) { settings, client in
            let store = S3ObjectStore(
                settings: settings, client: client, timing: Fixtures.impatient, logger: Fixtures.logger)
            try await store.put(Fixtures.picture("small"), at: Fixtures.key("a"))
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.put(Fixtures.picture("more than ten bytes"), at: Fixtures.key("b"))
            }
            guard case .unavailable(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("full"))
            #expect(try await store.get(Fixtures.key("b")) == nil)
            #expect(try await store.get(Fixtures.key("a")) == Fixtures.picture("small"))
        }
    }

    /// A mistake in the settings, and a word in the check's message about it.
    enum Mistake: CaseIterable, Sendable {
        case keyID
        case secret
        case region
        case bucket
        case right
        case clockBehind
        case clockAhead

        var words: String {
            switch self {
            // Swift does not distinguish them; Amazon does.
            case .keyID, .secret: "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY do not belong together"
            case .region: "S3_REGION must be eu-test-1"
            case .bucket: "no bucket of the name in S3_BUCKET"
            case .right: "S3_ACCESS_KEY_ID has not the rights"
            case .clockBehind: "s slow"
            case .clockAhead: "s fast"
            }
        }

        var clock: WallClock {
            switch self {
            case .clockBehind: WallClock { Date(timeIntervalSinceNow: -3_600) }
            case .clockAhead: WallClock { Date(timeIntervalSinceNow: 3_600) }
            default: .system
            }
        }

        func made(in good: S3Settings) -> S3Settings {
            let credentials =
                switch self {
                case .keyID: S3Credentials(accessKeyID: "test:who", secretAccessKey: SecretText("admin-secret"))
                case .secret: S3Credentials(accessKeyID: "test:admin", secretAccessKey: SecretText("another"))
                case .right: S3Credentials(accessKeyID: "test:nobody", secretAccessKey: SecretText("nobody-secret"))
                default: good.credentials
                }
            return S3Settings(
                endpoint: good.endpoint, region: self == .region ? "us-east-1" : good.region,
                bucket: self == .bucket ? "another-bucket" : good.bucket, addressing: good.addressing,
                credentials: credentials)
        }
    }

    @Test(arguments: Mistake.allCases)
    func `A check names the error`(mistake: Mistake) async throws {
        try await Fixtures.withBucket { settings, client in
            let store = S3ObjectStore(
                settings: mistake.made(in: settings), client: client, clock: mistake.clock, logger: Fixtures.logger)
            let error = await #expect(throws: ObjectStoreError.self) { try await store.check() }
            guard case .misconfigured(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains(mistake.words))
        }
    }

    @Test func `A server that stops and one that is unreachable are unavailable`() async throws {
        let server = try await ObjectStoreServer.start()
        let bucket = try await server.makeBucket()
        try await Fixtures.withClient { client in
            let store = S3ObjectStore(
                settings: server.settings(bucket: bucket), client: client, timing: Fixtures.impatient,
                logger: Fixtures.logger)
            try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            server.kill()
            // On its existing connection, which is dead, and on new ones.
            let error = await #expect(throws: ObjectStoreError.self) { _ = try await store.get(Fixtures.key("a")) }
            #expect(error == .unavailable("The object store is unreachable, or the connection was lost"))
        }
    }

    private static func load(
        _ url: String, method: HTTPMethod = .GET, client: HTTPClient
    ) async throws -> (status: UInt, headers: HTTPHeaders, body: String) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        let response = try await client.execute(request, timeout: .seconds(30))
        return (
            response.status.code, response.headers, String(buffer: try await response.body.collect(upTo: 1_000_000))
        )
    }
}
