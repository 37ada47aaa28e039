import AsyncHTTPClient
import Foundation
import Ports
import TestSupport
import Testing

@testable import ObjectStorage

/// A bucket in OpenStack Swift behind an unreliable network.
@Suite struct S3FaultTests {
    private typealias Fixtures = ObjectStoreFixtures

    private static let slowDown = FaultProxy.Fault.response(
        Fixtures.response("503 Slow Down", body: Fixtures.error("SlowDown")))
    private static let away = ObjectStoreError.unavailable(
        "The object store is unreachable, or the connection was lost")

    @Test func `A store that is busy is asked again`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            let key = Fixtures.key("a")
            proxy.fail(Self.slowDown, Self.slowDown)
            try await store.put(Fixtures.picture(), at: key)
            #expect(proxy.connections == 3)
            #expect(try await store.get(key) == Fixtures.picture())
        }
    }

    @Test func `A store that stays busy is given up on`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            proxy.fail(Self.slowDown, Self.slowDown, Self.slowDown, Self.slowDown)
            await #expect(
                throws: ObjectStoreError.unavailable("The object store is busy or has a problem (503 SlowDown)")
            ) { try await store.put(Fixtures.picture(), at: Fixtures.key("a")) }
            #expect(proxy.connections == 3)
        }
    }

    @Test func `A Retry-After beyond the deadline ends the call at once`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            proxy.fail(.response(Fixtures.response("503 Slow Down", headers: "Retry-After: 3600\r\n")))
            await #expect(throws: ObjectStoreError.unavailable("The object store is busy or has a problem (503)")) {
                _ = try await store.get(Fixtures.key("a"))
            }
            #expect(proxy.connections == 1)
        }
    }

    @Test(arguments: [FaultProxy.Fault.close, .cutResponse(afterBytes: 20), .cutResponse(afterBytes: 400), .hang])
    func `A connection that fails is replaced`(fault: FaultProxy.Fault) async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            let key = Fixtures.key("a")
            let object = Fixtures.picture(String(repeating: "long ", count: 10_000))
            proxy.fail(fault)
            try await store.put(object, at: key)
            #expect(try await store.get(key) == object)
        }
    }

    @Test func `An answer that breaks off is never taken for a whole object`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            let key = Fixtures.key("a")
            let object = Fixtures.picture(String(repeating: "long ", count: 10_000))
            proxy.fail(.close)
            try await store.put(object, at: key)
            try await Fixtures.withClient { client in
                // On connections that are not open yet.
                let other = S3ObjectStore(
                    settings: store.settings, client: client, timing: Fixtures.impatient, logger: Fixtures.logger)
                proxy.fail(.cutResponse(afterBytes: 5_000), .cutResponse(afterBytes: 20_000))
                let got = try await other.get(key)
                #expect(got == object)
            }
        }
    }

    @Test func `An unreachable store is unavailable`() async throws {
        try await Fixtures.withClient { client in
            let store = S3ObjectStore(
                settings: Fixtures.settings(endpoint: "http://127.0.0.1:1"), client: client,
                timing: Fixtures.impatient, logger: Fixtures.logger)
            await #expect(throws: Self.away) { try await store.put(Fixtures.picture(), at: Fixtures.key("a")) }
            await #expect(throws: Self.away) { try await store.check() }
        }
    }

    @Test func `An unknown host name is reported`() async throws {
        try await Fixtures.withClient { client in
            let store = S3ObjectStore(
                settings: Fixtures.settings(endpoint: "http://store.invalid"), client: client,
                timing: Fixtures.impatient, logger: Fixtures.logger)
            await #expect(
                throws: ObjectStoreError.unavailable(
                    "The object store cannot be reached: the name of the host in S3_ENDPOINT is not known")
            ) { try await store.check() }
        }
    }

    @Test func `A slow store ends at the deadline`() async throws {
        let timing = S3Timing(
            deadline: .seconds(2), attemptDeadline: .milliseconds(400), attempts: 100,
            firstWait: .milliseconds(1), longestWait: .milliseconds(1))
        try await Fixtures.withFaultyBucket(timing: timing) { proxy, store in
            proxy.fail(.hang, .hang, .hang, .hang, .hang, .hang)
            await #expect(throws: ObjectStoreError.unavailable("The object store does not answer in time")) {
                try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            }
            #expect((2...6).contains(proxy.connections))
        }
    }

    @Test func `Connections are reused`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            for number in 0..<20 { try await store.put(Fixtures.picture(), at: Fixtures.key("a/\(number)")) }
            #expect(proxy.connections == 1)
        }
    }

    @Test func `A body that is changed on the way is refused by the store`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            let key = Fixtures.key("a")
            let change = FaultProxy.Fault.change("genuine", to: "altered")
            proxy.fail(change, change, change)
            await #expect(
                throws: ObjectStoreError.unavailable(
                    "The object store got something else than was sent (400 BadDigest)")
            ) { try await store.put(Fixtures.picture("genuine"), at: key) }
            let found = try await store.get(key)
            #expect(found == nil)
        }
    }

    @Test(arguments: [("image/webp", "image/html"), ("Signature=", "Signature=0")])
    func `A header that is changed on the way is refused by the store`(old: String, new: String) async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            proxy.fail(.change(old, to: new))
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            }
            guard case .misconfigured(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("SignatureDoesNotMatch"))
        }
    }

    @Test func `A redirect is not followed`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            proxy.fail(
                .response(Fixtures.response("307 Temporary Redirect", headers: "Location: http://127.0.0.1:1/\r\n")))
            let error = await #expect(throws: ObjectStoreError.self) { _ = try await store.get(Fixtures.key("a")) }
            guard case .misconfigured(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("S3_ENDPOINT leads elsewhere"))
            #expect(proxy.connections == 1)
        }
    }

    @Test func `An endless answer is not read to its end`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            let body = String(repeating: "x", count: 100_000)
            proxy.fail(.response(Fixtures.response("200 OK", body: body)))
            await #expect(
                throws: ObjectStoreError.misconfigured(
                    "S3_ENDPOINT does not look like an S3 service: its response is too large")
            ) { try await store.put(Fixtures.picture(), at: Fixtures.key("a")) }
        }
    }

    @Test func `A check reports a server that is no store`() async throws {
        try await Fixtures.withFaultyBucket { proxy, store in
            proxy.fail(.response(Fixtures.response("200 OK", body: "<html><body>Welcome!</body></html>")))
            await #expect(
                throws: ObjectStoreError.misconfigured(
                    "S3_ENDPOINT does not look like an S3 service: its response is not one of S3")
            ) { try await store.check() }
            proxy.fail(.response("SSH-2.0-OpenSSH_9.2\r\n"))
            await #expect(
                throws: ObjectStoreError.misconfigured(
                    "S3_ENDPOINT does not speak HTTP; must it be https?")
            ) { try await store.check() }
        }
    }

    @Test func `A check reports TLS to a server without it`() async throws {
        try await FaultProxy.with(upstream: 1) { proxy in
            proxy.fail(.response(Fixtures.response("400 Bad Request")))
            try await Self.expectTLSFailure(port: proxy.port)
        }
    }

    @Test func `A check reports a certificate that is not trusted`() async throws {
        try await FaultProxy.with(upstream: 1, certificate: .make()) { proxy in
            try await Self.expectTLSFailure(port: proxy.port)
        }
    }

    @Test func `A store behind TLS works`() async throws {
        let server = try await ObjectStoreServer.shared
        let bucket = try await server.makeBucket()
        let certificate = try await TestCertificate.make()
        let port = URLComponents(string: server.endpoint)?.port ?? 0
        try await FaultProxy.with(upstream: port, certificate: certificate) { proxy in
            var configuration = S3ObjectStore.clientConfiguration
            configuration.tlsConfiguration = certificate.client
            try await Fixtures.withClient(configuration: configuration) { client in
                let settings = server.settings(bucket: bucket, endpoint: "https://127.0.0.1:\(proxy.port)")
                let store = Fixtures.store(settings, client)
                try await store.check()
            }
        }
    }

    private static func expectTLSFailure(port: Int) async throws {
        try await Fixtures.withClient { client in
            let store = S3ObjectStore(
                settings: Fixtures.settings(endpoint: "https://127.0.0.1:\(port)"), client: client,
                timing: Fixtures.impatient, logger: Fixtures.logger)
            await #expect(
                throws: ObjectStoreError.misconfigured(
                    "TLS with S3_ENDPOINT fails: this machine does not trust the certificate, or no TLS is spoken there"
                )
            ) { try await store.check() }
        }
    }
}
